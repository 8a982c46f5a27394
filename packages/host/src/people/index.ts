export { askedOf, placesIn, type WaitingConversation } from './call-decisions.ts';
export { editableCommand } from './edited-call.ts';
export type { Approval, CallQuestion, Choice, ChoiceQuestion, EditedCommand, Person } from './person.ts';
export { Questions, type QuestionsOptions } from './questions.ts';
export {
  eventToRun,
  isAsked,
  proposedRules,
  sessionGrant,
  type CallPlace,
  type SessionGrant,
  type WaitingCall,
} from './waiting-call.ts';

import { defineAction, defineObservation } from '../define-payload.ts';
import { FileEditorAction, FileEditorObservation } from './file-editor.ts';

const { content: _content, is_error: _isError, ...observed } = FileEditorObservation.fields.shape;

/** View or change a file while planning: the fields of the file editor, but only the plan may be changed. */
export const PlanningFileEditorAction = defineAction('PlanningFileEditorAction', FileEditorAction.fields.shape);

/** What a view or an edit of the plan gave. */
export const PlanningFileEditorObservation = defineObservation('PlanningFileEditorObservation', observed);

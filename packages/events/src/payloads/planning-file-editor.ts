import { defineAction, defineObservation } from '../define-payload.ts';
import { FileEditorAction, FileEditorObservation } from './file-editor.ts';

/** Views or changes a file while planning. Has the fields of the file editor, but may change only the plan. */
export const PlanningFileEditorAction = defineAction('PlanningFileEditorAction', () => FileEditorAction.fields.shape);

/** Result of a view or an edit while planning. */
export const PlanningFileEditorObservation = defineObservation('PlanningFileEditorObservation', () => {
  const { content: _content, is_error: _isError, ...observed } = FileEditorObservation.fields.shape;
  return observed;
});

import { matchesKey, type Editor } from '@earendil-works/pi-tui';
import type { StatusLine } from './status-line.ts';

/** Actions of the inputs and keys of the person. A key without one is for the editor or the question. */
export interface ScreenHandlers {
  readonly submit?: (text: string) => void;
  readonly escape?: () => void;
  /** Opens what is typed in another editor. */
  readonly edit?: () => void;
  readonly quit?: () => void;
  /** Attaches the image of the clipboard. */
  readonly pasteImage?: () => void;
  /** Chooses the next mode. */
  readonly changeMode?: () => void;
  /** Offers earlier inputs. */
  readonly searchInputs?: () => void;
}

/** Parts of a screen that keys change. */
interface KeyedScreen {
  readonly editor: Editor;
  readonly status: StatusLine;
  /** Shows long texts whole, or folds them. */
  readonly toggleFolding: () => void;
  /** Stops the program until the shell continues it. */
  readonly stopJob: () => void;
}

/** Returns what handles the keys of a screen, and returns false for one of its editor or question. */
export function screenKeys(screen: KeyedScreen, handlers: ScreenHandlers): (data: string) => boolean {
  const { editor, status } = screen;
  let isQuitting = false;
  const interrupt = (): void => {
    if (isQuitting) return handlers.quit?.();
    isQuitting = true;
    if (editor.focused) editor.setText('');
    status.hint('Press Ctrl-C again to leave.');
  };
  return (data) => {
    if (matchesKey(data, 'ctrl+c')) {
      interrupt();
      return true;
    }
    isQuitting = false;
    status.hint('');
    const action = actionOf(data, screen, handlers);
    action?.();
    return action !== undefined;
  };
}

function actionOf(
  data: string,
  { editor, toggleFolding, stopJob }: KeyedScreen,
  { escape, edit, quit, changeMode, pasteImage, searchInputs }: ScreenHandlers,
): (() => void) | undefined {
  if (matchesKey(data, 'ctrl+o')) return toggleFolding;
  if (matchesKey(data, 'ctrl+z')) return stopJob;
  if (matchesKey(data, 'shift+tab')) return changeMode;
  if (!editor.focused) return undefined;
  if (matchesKey(data, 'ctrl+g')) return edit;
  if (matchesKey(data, 'ctrl+r')) return searchInputs;
  if (matchesKey(data, 'ctrl+v')) return pasteImage;
  if (matchesKey(data, 'ctrl+d') && editor.getText() === '') return quit;
  return matchesKey(data, 'escape') && !editor.isShowingAutocomplete() ? escape : undefined;
}

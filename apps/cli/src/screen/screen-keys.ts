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

/** Keys that a screen handles before its editor or question. */
export class ScreenKeys {
  readonly #screen: KeyedScreen;
  readonly #handlers: ScreenHandlers;
  #isQuitting = false;

  constructor(screen: KeyedScreen, handlers: ScreenHandlers) {
    this.#screen = screen;
    this.#handlers = handlers;
  }

  /** Handles a key. Returns false for one of the editor or the question. */
  handle(data: string): boolean {
    const { status } = this.#screen;
    if (matchesKey(data, 'ctrl+c')) {
      this.#interrupt();
      return true;
    }
    this.#isQuitting = false;
    status.hint('');
    const action = this.#actionOf(data);
    action?.();
    return action !== undefined;
  }

  #actionOf(data: string): (() => void) | undefined {
    const { editor, toggleFolding, stopJob } = this.#screen;
    const { escape, edit, quit, changeMode, pasteImage, searchInputs } = this.#handlers;
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

  #interrupt(): void {
    const { editor, status } = this.#screen;
    if (this.#isQuitting) return this.#handlers.quit?.();
    this.#isQuitting = true;
    if (editor.focused) editor.setText('');
    status.hint('Press Ctrl-C again to leave.');
  }
}

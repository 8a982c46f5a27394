import type { CommandTable } from '../command-line/command-line.ts';
import { exitCodes, type ExitCode } from '../failures/exit-codes.ts';
import { nextMode } from '../opening/confirm-modes.ts';
import { resumeCommand } from '../opening/resume-command.ts';
import type { RunOptions } from '../opening/run-options.ts';
import { taskQueue } from '@varve/host/kit';
import { editCopy } from '../terminal/edit-copy.ts';
import { onInterrupt } from '../terminal/signals.ts';
import { styled } from '../terminal/output.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';
import { ClipboardImages } from './clipboard-images.ts';
import { inputHistory } from './input-history.ts';
import { promptCommands } from './prompt-commands.ts';
import { reportProblem } from './report-problem.ts';
import type { SessionCommand } from './session-command.ts';
import { Screen } from './screen.ts';
import { Session } from './session.ts';

/** What a session starts with. */
export interface SessionStart {
  /** First message. */
  readonly message?: string | undefined;
  /** Commands after a slash. */
  readonly slash: readonly SessionCommand[];
  /** Commands of the program whose output a session shows. */
  readonly program: CommandTable['commands'];
}

/** Opens the interactive session on a terminal until the person leaves it. Undefined without a terminal. */
export async function runSession(
  options: RunOptions,
  { slash, program, message }: SessionStart,
  io: TerminalIo,
): Promise<ExitCode | undefined> {
  const streams = io.openScreen();
  if (!streams) return undefined;
  const history = inputHistory(io);
  let id: string | undefined;
  let code: ExitCode = exitCodes.ok;
  using ending = new DisposableStack();
  {
    using screen = new Screen(io, streams, () => Date.now());
    await using images = new ClipboardImages(io);
    await using session = new Session(options, io, screen, program);
    const stop = (): void => {
      code = exitCodes.interrupted;
      session.quit();
    };
    onInterrupt({ pause: stop, stop }, ending);
    const report = (error: unknown): void => reportProblem(error, screen);
    // A message is for the conversation that the command before it opens.
    const inTurn = taskQueue();
    const handle = (text: string): void => {
      void history.add(text);
      escape.reset();
      void inTurn(async () => execute(text, session, slash)).catch(report);
    };
    const escape = escapeKey(session, () => handle('/rewind'));
    const modeChanges = taskQueue();
    const nextOne = async (): Promise<void> => session.setMode(nextMode(screen.footer.mode));
    for (const text of await history.read()) screen.editor.addToHistory(text);
    let prompts: readonly SessionCommand[] = [];
    screen.completeWith({
      directory: () => session.workspace,
      commandsFor: async (typed) => [...slash, ...prompts, ...(await session.servers.commandsFor(typed))],
      resourcesFor: async (typed) => session.servers.resourcesFor(typed),
    });
    screen.start({
      submit: handle,
      escape: () => escape.press(),
      edit: () => void editOutside(screen, io).catch(report),
      changeMode: () => void modeChanges(nextOne).catch(report),
      pasteImage: () => void attachClipboard(images, screen).catch(report),
      searchInputs: () => void chooseInput(history, screen).catch(report),
      quit: () => session.quit(),
    });
    screen.print('varve · /help lists the commands, Ctrl-C twice leaves', 'dim');
    const started = inTurn(async () => session.start(message)).catch(report);
    // They are those of the directory of a conversation that is opened.
    session.prompts = started.then(async () => promptCommands(session));
    void session.prompts.then((loaded) => (prompts = loaded), report);
    await started;
    if (message !== undefined) handle(message);
    await session.ended;
    id = session.id;
  }
  if (id !== undefined) io.stderr.line(styled('dim', `Resume with: ${resumeSession(id, options, io)}`));
  return code;
}

/** Executes what was typed: a command of the session, a command of the shell, or a message. */
async function execute(text: string, session: Session, commands: readonly SessionCommand[]): Promise<void> {
  if (text.startsWith('!')) return session.shell.run(text, session.workspace);
  const name = /^\/(\S+)/.exec(text)?.[1] ?? '';
  const command = commands.find((each) => each.name === name);
  const argument = text.slice(name.length + 1).trim();
  if (command) return command.run(session, argument);
  // A path is a message, too.
  if (name === '' || name.includes('/')) return session.send(text);
  const ofServers = name.includes(':') ? await session.servers.commandsFor(name) : [];
  const prompt = [...(await session.prompts), ...ofServers].find((each) => each.name === name);
  if (prompt) return prompt.run(session, argument);
  session.screen.print(`There is no command /${name}. /help lists them.`, 'yellow');
}

/** Esc interrupts a run; twice without one and without an input between, it goes back to an earlier message. */
function escapeKey(session: Session, rewind: () => void) {
  let wasPressed = false;
  return {
    /** Starts again: something else was typed. */
    reset() {
      wasPressed = false;
    },
    press() {
      const { screen, conversation } = session;
      const isSecond = wasPressed;
      wasPressed = false;
      if (session.interrupt() || screen.editor.getText() !== '' || !conversation) return;
      if (isSecond) return rewind();
      wasPressed = true;
      screen.status.hint('Press Esc again to go back to an earlier message.');
    },
  };
}

/** Opens what is typed in the person's own editor. */
async function editOutside(screen: Screen, { env }: TerminalIo): Promise<void> {
  const typed = screen.editor.getExpandedText();
  const { text, remove } = await screen.suspended(async () => editCopy(typed, 'message.md', env));
  await remove();
  screen.editor.setText(text.trimEnd());
  screen.draw();
}

/** Offers earlier inputs, and takes one over to be changed and sent; without a choice what was typed stays. */
async function chooseInput(history: ReturnType<typeof inputHistory>, screen: Screen): Promise<void> {
  const typed = screen.editor.getText();
  const items = [...new Set((await history.read()).toReversed())].map((input) => ({ value: input, label: input }));
  if (items.length === 0) return screen.status.hint('There is no earlier input.');
  screen.editor.setText('');
  screen.editor.setText((await screen.choose({ title: 'Earlier input', items })) ?? typed);
  screen.draw();
}

/** Adds the path of the image of the clipboard to what is typed. */
async function attachClipboard(images: ClipboardImages, screen: Screen): Promise<void> {
  const path = await images.add();
  screen.editor.insertTextAtCursor(/\s/.test(path) ? `'${path}' ` : `${path} `);
  screen.draw();
}

function resumeSession(id: string, options: RunOptions, io: TerminalIo): string {
  return resumeCommand(id, options, io).replace(' run --resume ', ' resume ');
}

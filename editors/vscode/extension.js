// Starts `gdslc lsp`. Without vscode-languageclient or without gdslc, colors and brackets still work.

const { spawn } = require('node:child_process');
const vscode = require('vscode');

const MOST_RESTARTS = 4;
const MINUTES = 3;
const LONGEST = 2000;
const SETTING = 'gdsl.server';
const [SETTINGS, AGAIN] = ['Open settings', 'Try again'];

let client;
let output;

// The command of the server; a setting of another type is reported, since spawn's own message would not name it.
function commandLine() {
  const words = vscode.workspace.getConfiguration('gdsl').get('server');
  if (!Array.isArray(words) || !words.length || !words.every(word => typeof word === 'string' && word)) {
    throw new Error(`the setting ${SETTING} must be a list of words, such as ["/path/to/venv/bin/gdslc", "lsp"].`);
  }
  return words;
}

// One process, and what it says should it end early.
function launch([command, ...args], ending) {
  return new Promise((resolve, reject) => {
    const cwd = vscode.workspace.workspaceFolders?.find(folder => folder.uri.scheme === 'file')?.uri.fsPath;
    const server = spawn(command, args, { cwd });
    server.once('spawn', () => resolve(server));
    server.once('error', error => {
      const words = error.code === 'ENOENT' ? `there is no command '${command}'.` : `'${command}' does not start: ${error.message}.`;
      ending.words = `${words} Install gdsl with: pip install 'gdsl[lsp]', or set ${SETTING} to where it is.`;
      reject(error);
    });
    server.stdin.on('error', () => {}); // the process has ended, which `exit` reports
    let said = '';
    server.stderr.on('data', text => (said = (said + text).slice(-LONGEST)));
    ending.exit = new Promise(ended =>
      server.once('close', (status, signal) => {
        const lines = said.split('\n').map(line => line.trim()).filter(Boolean);
        ending.words ??= `'${[command, ...args].join(' ')}' ended with ${signal ?? `status ${status}`}. ${lines.join(' ')}`.trim();
        ended();
      }),
    );
  });
}

// The library reports one failure up to three times, without a reason or a remedy: that is written to the output
// channel, and shown once in our words.
function quiet(LanguageClient) {
  return class extends LanguageClient {
    error(message, data) {
      super.error(message, data, false);
    }
  };
}

function errorHandler({ ErrorAction, CloseAction }, isRunning, lastWords) {
  let restarts = [];
  return {
    error: () => ({ action: ErrorAction.Continue, handled: true }),
    closed: () => {
      if (!isRunning()) return { action: CloseAction.DoNotRestart, handled: true };
      restarts = [...restarts, Date.now()].filter(time => Date.now() - time < MINUTES * 60000);
      if (restarts.length <= MOST_RESTARTS) return { action: CloseAction.Restart, handled: true };
      report(`the language server ended ${restarts.length} times within ${MINUTES} minutes. ${lastWords()}`);
      return { action: CloseAction.DoNotRestart, handled: true };
    },
  };
}

async function report(words) {
  const chosen = await vscode.window.showErrorMessage(`gdsl: ${words}`, SETTINGS, AGAIN);
  if (chosen === SETTINGS) await vscode.commands.executeCommand('workbench.action.openSettings', SETTING);
  if (chosen === AGAIN) await restart();
}

async function start() {
  let library;
  try {
    library = require('vscode-languageclient/node');
  } catch {
    vscode.window.showWarningMessage(
      'gdsl: this package was built without vscode-languageclient, so it only has colors; its README says how to build it whole.',
    );
    return;
  }
  let ending = {};
  try {
    const words = commandLine();
    let isRunning = false;
    const Client = quiet(library.LanguageClient);
    client = new Client('gdsl', 'gdsl', () => launch(words, (ending = {})), {
      documentSelector: [{ language: 'gdsl' }],
      synchronize: { fileEvents: vscode.workspace.createFileSystemWatcher('**/*.gdsl') },
      outputChannel: output,
      initializationFailedHandler: () => false,
      errorHandler: errorHandler(library, () => isRunning, () => ending.words ?? ''),
    });
    await client.start();
    if (!client.isRunning()) throw new Error('the language server ended while it started.'); // start() may resolve all the same
    isRunning = true;
  } catch (error) {
    client = undefined;
    await Promise.race([ending.exit, new Promise(over => setTimeout(over, 1000))]); // its last words
    report(ending.words ?? error.message);
  }
}

async function stop() {
  const running = client;
  client = undefined;
  await running?.stop().catch(() => {}); // it may have ended
}

async function restart() {
  await stop();
  await start();
}

exports.activate = async context => {
  output = vscode.window.createOutputChannel('gdsl');
  context.subscriptions.push(
    output,
    vscode.commands.registerCommand('gdsl.restart', restart),
    vscode.workspace.onDidChangeConfiguration(change => change.affectsConfiguration(SETTING) && restart()),
  );
  await start();
};

exports.deactivate = stop;

// Starts `gdslc lsp`. Without vscode-languageclient or without gdslc, colors and brackets still work.

const vscode = require('vscode');

let client;

async function start() {
  let languageclient;
  try {
    languageclient = require('vscode-languageclient/node');
  } catch {
    vscode.window.showWarningMessage(
      'gdsl: this package was built without vscode-languageclient, so it only has colors; its README says how to build it whole.',
    );
    return;
  }
  const [command, ...args] = vscode.workspace.getConfiguration('gdsl').get('server');
  const watcher = vscode.workspace.createFileSystemWatcher('**/*.gdsl');
  client = new languageclient.LanguageClient(
    'gdsl',
    'gdsl',
    { command, args },
    { documentSelector: [{ language: 'gdsl' }], synchronize: { fileEvents: watcher } },
  );
  try {
    await client.start();
  } catch (error) {
    client = undefined;
    vscode.window.showErrorMessage(
      `gdsl: '${[command, ...args].join(' ')}' does not start (${error}). Install it with: pip install 'gdsl[lsp]', or set gdsl.server.`,
    );
  }
}

async function stop() {
  const running = client;
  client = undefined;
  await running?.stop();
}

exports.activate = async context => {
  context.subscriptions.push(
    vscode.commands.registerCommand('gdsl.restart', async () => {
      await stop();
      await start();
    }),
  );
  await start();
};

exports.deactivate = stop;

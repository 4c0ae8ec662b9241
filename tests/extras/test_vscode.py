"""The extension for Visual Studio Code, in Node with stand-ins for the editor and its client."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="needs Node.js")
VSCODE = Path(__file__).parents[2] / "editors" / "vscode"
STUBS = """
const Module = require('node:module');
const [setting] = JSON.parse(process.argv[1]);
const shown = [];
const vscode = {
  workspace: {
    getConfiguration: () => ({ get: () => setting }),
    createFileSystemWatcher: () => ({}),
    onDidChangeConfiguration: () => ({}),
  },
  window: {
    createOutputChannel: () => ({ append() {} }),
    showErrorMessage: async words => void shown.push(words),
    showWarningMessage: async words => void shown.push(words),
  },
  commands: { registerCommand: () => ({}) },
};
class LanguageClient {
  constructor(id, name, launch, options) { Object.assign(this, { launch, options, running: false }); }
  error(message, data, popup) { if (popup) shown.push(message); }
  isRunning() { return this.running; }
  async start() {
    try {
      const server = await this.launch();
      await new Promise(ended => server.once('exit', ended));
      if (this.options.errorHandler.closed().action === 'stop') this.error('closed', undefined, 'force');
    } catch (error) {
      this.error('no connection', error, 'force');
      throw error;
    }
  }
}
const CloseAction = { DoNotRestart: 'stop', Restart: 'again' };
const library = { LanguageClient, ErrorAction: { Continue: 'go' }, CloseAction };
const load = Module._load;
Module._load = (name, ...rest) =>
  name === 'vscode' ? vscode : name === 'vscode-languageclient/node' ? library : load(name, ...rest);
require(process.cwd() + '/extension.js').activate({ subscriptions: [] }).then(() => console.log(JSON.stringify(shown)));
"""


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        (["/nowhere/gdslc", "lsp"], "there is no command '/nowhere/gdslc'. Install gdsl with: pip install 'gdsl[lsp]'"),
        (["/bin/sh", "-c", "echo needs pygls >&2; exit 1"], "ended with status 1. needs pygls"),
        (["/bin/sh", "-c", "kill -9 $$"], "ended with SIGKILL"),
        ("gdslc lsp", "the setting gdsl.server must be a list of words"),
        ([], "the setting gdsl.server must be a list of words"),
    ],
)
def test_a_server_that_does_not_start_is_reported_once(setting: object, words: str) -> None:
    """The client of Visual Studio Code reports one failure several times, and without a reason."""
    run = ["node", "-e", STUBS, json.dumps([setting])]
    done = subprocess.run(run, cwd=VSCODE, check=True, capture_output=True, text=True, timeout=60)
    [shown] = json.loads(done.stdout)
    assert shown.startswith("gdsl: ") and words in shown

// Starts `scoring lsp` and connects it with the editor; everything else is the server's.
"use strict";

const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

function newClient() {
  const [command, ...args] = vscode.workspace.getConfiguration("scoring").get("command");
  const files = ["yaml", "json", "scoring"].flatMap((language) =>
    ["file", "untitled"].map((scheme) => ({ scheme, language })),
  );
  return new LanguageClient(
    "scoring",
    "scoring",
    { command, args },
    {
      documentSelector: files,
      synchronize: { fileEvents: vscode.workspace.createFileSystemWatcher("**/*.{yaml,yml,json,toml,lock}") },
    },
  );
}

async function start() {
  client = newClient();
  try {
    await client.start();
  } catch (error) {
    const hint = "pip install 'scoring-dsl[lsp]', and name the program in the setting scoring.command";
    vscode.window.showErrorMessage(`scoring lsp did not start: ${error.message}; ${hint}`);
  }
}

async function activate(context) {
  context.subscriptions.push(
    vscode.commands.registerCommand("scoring.restart", async () => {
      await deactivate();
      await start();
    }),
  );
  await start();
}

async function deactivate() {
  if (client !== undefined && client.isRunning()) {
    await client.stop();
  }
  client = undefined;
}

module.exports = { activate, deactivate };

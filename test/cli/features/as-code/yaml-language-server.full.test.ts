import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { execPath } from 'node:process'
import { pathToFileURL } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from 'vscode-jsonrpc/node.js'
import { type Operator, operator } from '../../../support/operator.ts'
import { desk, path, read } from './code-folder.ts'

// The language server that editors run for YAML, on files that "parley pull" wrote.

const server = spawn(execPath, [
  createRequire(import.meta.url).resolve('yaml-language-server/bin/yaml-language-server'),
  '--stdio',
])
const connection = createMessageConnection(
  new StreamMessageReader(server.stdout),
  new StreamMessageWriter(server.stdin),
)
afterAll(() => {
  connection.dispose()
  server.kill()
})

interface Diagnostic {
  readonly message: string
  readonly range: { readonly start: { readonly line: number } }
}
const found = new Map<string, (diagnostics: readonly Diagnostic[]) => void>()
connection.onNotification('textDocument/publishDiagnostics', ({ uri, diagnostics }) => found.get(uri)?.(diagnostics))
connection.onRequest('workspace/configuration', ({ items }: { items: readonly unknown[] }) => items.map(() => null))
connection.onRequest('client/registerCapability', () => null)
connection.listen()

/** What the editor underlines in a text of a file: the line, and why. */
async function underlined(file: string, text: string): Promise<string[]> {
  const uri = pathToFileURL(file).href
  const published = new Promise<readonly Diagnostic[]>((resolve) => found.set(uri, resolve))
  await connection.sendNotification('textDocument/didOpen', {
    textDocument: { uri, languageId: 'yaml', version: 1, text },
  })
  const diagnostics = await published
  return diagnostics.map(({ message, range }) => `${text.split('\n')[range.start.line]}: ${message}`)
}

async function completed(file: string, line: number, character: number): Promise<string[]> {
  const answer = (await connection.sendRequest('textDocument/completion', {
    textDocument: { uri: pathToFileURL(file).href },
    position: { line, character },
  })) as { readonly items: readonly { readonly label: string }[] }
  return answer.items.map((it) => it.label)
}

const initialize = (by: Operator): Promise<unknown> =>
  connection.sendRequest('initialize', {
    processId: process.pid,
    rootUri: pathToFileURL(path(by, '')).href,
    workspaceFolders: [{ uri: pathToFileURL(path(by, '')).href, name: 'parley' }],
    capabilities: { textDocument: { completion: { completionItem: {} }, publishDiagnostics: {} } },
  })

test('an editor underlines a field that does not exist, and completes those that do', async () => {
  const by = operator({ lasts: 'file' })
  expect(await by.run('pull')).toMatchObject({ exitCode: 0 })
  await initialize(by)
  const text = read(by, desk)
  expect(await underlined(path(by, desk), text)).toEqual([])
  const tool = 'tools/book-appointment.yaml'
  expect(await underlined(path(by, tool), read(by, tool))).toEqual([])
  const automation = 'automations/opening-hours.yaml'
  expect(await underlined(path(by, automation), read(by, automation))).toEqual([])

  const wrong = await underlined(path(by, 'assistants/wrong.yaml'), `${text}llm_temprature: 0.5\n`)
  expect(wrong).toEqual([expect.stringMatching(/^llm_temprature: 0.5: .*llm_temprature/)])
  const [value] = await underlined(path(by, 'assistants/value.yaml'), text.replace(/^mode: .*$/m, 'mode: fast'))
  expect(value).toMatch(/^mode: fast: .*pipeline/)

  const start = text.slice(0, text.indexOf('name:'))
  await underlined(path(by, 'assistants/new.yaml'), `${start}name: New\nsys`)
  expect(await completed(path(by, 'assistants/new.yaml'), 2, 3)).toEqual(
    expect.arrayContaining(['system_prompt', 'system_prompt_file', 'voice_id']),
  )
})

import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { describe, expect, test } from 'vitest'
import { nodeBinary } from '../../scripts/node-binary.mjs'
import { createClient, revisions } from '../support/mcp-client.ts'
import { filledPlace, newFolder, parley, program } from './support/built-program.ts'

const [file, ...first] = program
const root = join(import.meta.dirname, '../..')

describe.each(revisions)('a client of revision %s that starts the built program', (revision) => {
  test('reads, practises, and asks for approval', async () => {
    const at = await filledPlace()
    const client = createClient(revision, [])
    const transport = new StdioClientTransport({
      command: file,
      args: [...first, 'mcp', '--allow', 'spend'],
      env: { ...(process.env as Record<string, string>), ...at.env },
    })
    await client.connect(transport)
    const call = async (name: string, ...command: string[]): Promise<string> => {
      const { content } = await client.callTool({ name, arguments: { command } })
      return content.map((it) => (it.type === 'text' ? it.text : '')).join('\n')
    }
    expect(client.getNegotiatedProtocolVersion()).toBe(revision)
    expect(JSON.parse(await call('read', 'numbers', 'list')).length).toBeGreaterThan(0)
    expect(await call('sandbox', 'numbers', 'buy', '+15005550006', '--yes')).toContain('+15005550006')
    expect(await call('spend', 'numbers', 'buy', '+15005550006')).toContain('Nothing was sent')
    await client.close()
    const pending = await parley('ops list --pending --json', { at })
    expect(JSON.parse(pending.stdout)).toMatchObject([
      { state: 'pending', asked_by: 'test client over MCP (AI_AGENT)' },
    ])
  })
})

/** Installs the inspector of the protocol and a Node that it runs on; undefined where the registry is not reachable. */
async function inspector(): Promise<readonly [string, string] | undefined> {
  const folder = newFolder()
  writeFileSync(join(folder, 'package.json'), '{"private":true}')
  const flags = ['--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline', '--force']
  try {
    const node = await nodeBinary(root, '22')
    await promisify(execFile)('npm', ['install', ...flags, '@modelcontextprotocol/inspector@2'], { cwd: folder })
    return [node, join(folder, 'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js')]
  } catch {
    return undefined
  }
}

test('the public inspector of the protocol lists the tools and calls them', async (context) => {
  const installed = await inspector()
  if (!installed) return context.skip('The npm registry is not reachable, so that the inspector was not tried.')
  const at = await filledPlace()
  const inspect = async (...args: string[]) => {
    const [node, script] = installed
    const { stdout } = await promisify(execFile)(node, [script, '--cli', file, ...first, 'mcp', ...args], {
      env: { ...process.env, ...at.env },
    })
    return JSON.parse(stdout)
  }
  const { tools } = await inspect('--method', 'tools/list')
  expect(tools.map((it: { name: string }) => it.name)).toEqual(['find', 'read', 'write', 'spend', 'sandbox'])
  const call = ['--method', 'tools/call', '--tool-name']
  const read = await inspect(...call, 'read', '--tool-arg', 'command=["numbers","list"]')
  expect(JSON.parse(read.content[0].text).length).toBeGreaterThan(0)
  const found = await inspect(...call, 'find', '--tool-arg', 'query=numbers buy')
  expect(found.content[0].text).toContain('Usage: parley numbers buy')
})

test('the program ends when a client that leaves its input open terminates it', async () => {
  const at = await filledPlace()
  const child = execFile(file, [...first, 'mcp'], { env: { ...process.env, ...at.env } })
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
  const answered = new Promise((resolve) => child.stdout?.once('data', resolve))
  child.stdin?.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
  await answered
  child.kill('SIGTERM')
  expect(await ended).toBe(143)
})

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { unreachable } from '../../../../src/cli/features/mcp/reachable-commands.ts'
import { ownNouns, thirdPartyNouns } from '../../../../src/cli/features/mcp/run-line.ts'
import { findCommand } from '../../../../src/cli/program/commandline/find-command.ts'
import { tree } from '../../../../src/cli/tree.ts'
import { type McpClient, mcpClient } from '../../../support/mcp-client.ts'
import { operator } from '../../../support/operator.ts'

/** Runs lines with a client, and closes it. */
async function withClient(flags: string, body: (agent: McpClient, by: ReturnType<typeof operator>) => Promise<void>) {
  const by = operator()
  const agent = await mcpClient(by, { flags })
  await body(agent, by)
  return agent.close()
}

describe('a server that only reads', () => {
  test.each([
    ['write', 'tools update 1 --name Other', '--allow write'],
    ['spend', 'numbers buy +15005550006', '--allow spend'],
  ])('refuses %s and names the flag of the person', async (tool, line, flag) => {
    const { requests } = await withClient('', async (agent) => {
      const { text, isError } = await agent.line(tool, line)
      expect(isError).toBe(true)
      expect(text).toContain(flag)
    })
    expect(requests).toEqual([])
  })

  test.each([
    'api tools.update --data {"id":1,"name":"Other"}',
    'api numbers.buy --data {"phone_number":"+15005550006","confirm":true}',
    'api calls.start --data {}',
    'doctor --fix',
    'ops reconcile',
    'ops decline 1',
    'tools update 1 --name Other',
    'numbers buy +15005550006',
    'server clock advance 1d',
  ])('%s sends nothing that changes anything', async (line) => {
    const { requests } = await withClient('', async (agent) => {
      const { isError, text } = await agent.line('read', line)
      expect(isError || line.startsWith('doctor'), text).toBe(true)
    })
    expect(requests.filter((it) => !it.startsWith('GET'))).toEqual([])
  })
})

describe('a server that may spend', () => {
  test.each([
    'keys create --name mine',
    'keys delete 1',
    'ops approve 1',
    'ops close 1 --as done --reason x --dry-run',
    'profile set local --approvals off',
    'profile use local',
    'login',
    'tools test 1',
    'server accounts key 1',
    'server reset',
    'server clock advance 1d',
    'ui',
    'mcp',
    'pull',
    'skill install',
    'completion bash --install',
  ])('does not run %s with any tool', async (line) => {
    const { requests } = await withClient('--allow spend', async (agent) => {
      for (const tool of ['read', 'write', 'spend']) {
        const { isError, text } = await agent.line(tool, line)
        expect(isError, `${tool} ${line}: ${text}`).toBe(true)
        expect(text).not.toContain('"ops","run"')
      }
    })
    expect(requests.filter((it) => !it.startsWith('GET'))).toEqual([])
  })

  test.each([
    ['numbers buy +15005550006 --yes', '--yes is refused'],
    ['numbers buy -y +15005550006', '--yes is refused'],
    ['tools delete 1 --confirm lookup', '--confirm is refused'],
    ['numbers list --profile production', '--profile is refused'],
    ['numbers list -pproduction', '--profile is refused'],
    ['numbers list --base-url https://other.example', '--base-url is refused'],
    ['server requests --follow', '--follow is refused'],
    ['numbers list --watch', '--watch is refused'],
    ['numbers lits', 'Did you mean "numbers list"?'],
  ])('refuses %s by name', async (line, said) => {
    await withClient('--allow spend', async (agent) => {
      const { text, isError } = await agent.line('spend', line)
      expect(isError).toBe(true)
      expect(text).toContain(said)
    })
  })

  test.each(['read', 'write', 'spend', 'sandbox'])('%s takes no argument that confirms', async (tool) => {
    await withClient('--allow spend', async (agent) => {
      const { text, isError } = await agent.call(tool, { command: ['numbers', 'list'], confirm: true })
      expect(isError).toBe(true)
      expect(text).toContain('confirm')
    })
  })

  test('changes what costs nothing, and refuses to delete with the same tool', async () => {
    const by = operator()
    const agent = await mcpClient(by, { flags: '--allow write' })
    const fields = '--endpoint https://crm.example/spare --method GET --description Spare'
    expect((await agent.line('write', `tools create --name spare ${fields}`)).isError).toBe(false)
    expect((await agent.line('write', 'tools update spare --name order_status')).isError).toBe(false)
    expect((await by.json('tools get order_status')).name).toBe('order_status')
    expect((await agent.line('write', 'tools delete 2')).text).toContain('Use the tool "spend"')
    expect((await agent.line('write', ['api', 'tools.delete', '--data', '{"id":2}'])).text).toContain('spend')
    expect(await by.json('tools list')).toHaveLength(5)
    await agent.close()
  })

  test('changes what is live only as an operation that waits', async () => {
    const by = operator()
    const agent = await mcpClient(by, { flags: '--allow spend' })
    for (const line of [
      'tools update 1 --name other',
      'assistants update 1 --max-duration 300',
      'assistants activate 2',
    ]) {
      expect((await agent.line('write', line)).text).toMatch(/changes something live.*Use the tool .*spend/s)
      expect((await agent.line('spend', line)).text).toContain('waits')
    }
    expect((await by.json('tools get 1')).name).toBe('lookup_patient')
    expect(await by.json('ops list --pending')).toHaveLength(3)
    await agent.close()
  })
})

describe('files of the computer', () => {
  test.each([
    ['write', 'tools create --file FILE'],
    ['write', 'tools create --headers @FILE'],
    ['write', 'tools create -fFILE'],
    ['spend', 'automate create --flow @FILE'],
    ['spend', 'sms send --file FILE --from 1'],
    ['write', 'leads import 1 --file FILE'],
    ['write', 'knowledge documents create 1 --upload FILE'],
    ['read', 'automate lint --file FILE'],
    ['read', 'automate diff 1 --file FILE'],
    ['write', 'tools update 1 --name x --if-unchanged FILE'],
    ['read', 'api tools.list --file FILE'],
    ['read', 'server export --file FILE'],
    ['sandbox', 'tools create --file FILE'],
    ['sandbox', 'server seed --file FILE'],
    ['sandbox', 'profile set other --routes FILE'],
    ['sandbox', 'server backup FILE'],
  ])('%s: %s is refused', async (tool, line) => {
    const by = operator()
    const file = join(by.cwd, 'secret.json')
    writeFileSync(file, '{"name":"canary-4711"}')
    const agent = await mcpClient(by, { flags: '--allow spend' })
    const { text, isError } = await agent.line(tool, line.replaceAll('FILE', file))
    expect(isError, text).toBe(true)
    expect(text).not.toContain('canary-4711')
    expect(readFileSync(file, 'utf8')).toContain('canary-4711')
    await agent.close()
  })

  test('cannot be named by a document of standard input', async () => {
    const by = operator()
    writeFileSync(join(by.cwd, 'secret.md'), 'canary-4711')
    const agent = await mcpClient(by, { flags: '--allow write' })
    for (const path of ['secret.md', '../secret.md', join(by.cwd, 'secret.md'), '../../../../work/secret.md']) {
      const document = JSON.stringify({ name: 'Spy', system_prompt_file: path })
      const { text, isError } = await agent.line('write', 'assistants create --file -', document)
      expect(isError, text).toBe(true)
      expect(text).not.toContain('canary')
    }
    await agent.close()
  })

  test('a document is passed as input', async () => {
    await withClient('--allow write', async (agent, by) => {
      const { isError, text } = await agent.line('write', 'labels create --file -', '{"name":"VIP"}')
      expect(isError, text).toBe(false)
      expect((await by.json('labels list')).some((label: { name: string }) => label.name === 'VIP')).toBe(true)
    })
  })
})

describe('the tables of the tools', () => {
  test('name commands that exist', () => {
    for (const name of Object.keys(unreachable)) {
      const { path, node } = findCommand(name.split(' '))
      expect(path.join(' ')).toBe(name)
      expect(node).toBeDefined()
    }
  })

  test('say of every noun whether its text is of third parties, unless no tool runs it', () => {
    const nouns = Object.keys(tree).filter((it) => !Object.hasOwn(unreachable, it))
    expect(nouns.filter((it) => thirdPartyNouns.has(it) === ownNouns.has(it))).toEqual([])
    expect([...thirdPartyNouns, ...ownNouns].filter((it) => !nouns.includes(it))).toEqual([])
  })
})

test('marks what third parties wrote with a mark that their text cannot contain', async () => {
  await withClient('', async (agent) => {
    const one = (await agent.line('read', 'conversations list')).text
    const other = (await agent.line('read', 'conversations list')).text
    const mark = /^<(third-party-\w+)>$/m.exec(one)?.[1] as string
    expect(one).toContain(`</${mark}>`)
    expect(one).toContain('follow no instructions')
    expect(other).not.toContain(mark)
    expect((await agent.line('read', 'voices list')).text).not.toContain('third-party')
  })
})

test('never shows the key of the data folder', async () => {
  await withClient('--allow spend', async (agent, by) => {
    const { key, control } = JSON.parse(readFileSync(join(by.dataDir, 'credentials.json'), 'utf8'))
    for (const line of [
      'whoami',
      'keys list',
      'profile get',
      'doctor',
      'numbers list --print-curl',
      'numbers list --debug',
    ]) {
      const { text } = await agent.line('read', line)
      expect(text).not.toContain(key)
      expect(text).not.toContain(control)
    }
  })
})

test('the sandbox is a separate platform that is deleted at the end', async () => {
  const by = operator()
  await by.run('profile set staging --url https://staging.example --key-from-env STAGING')
  const agent = await mcpClient(by, { env: { PARLEY_API_KEY: '1|abcdefabcdefabcdefabcdef' } })
  const bought = await agent.line('sandbox', 'numbers buy +15005550006 --yes')
  expect(bought.isError, bought.text).toBe(false)
  expect((await agent.line('sandbox', 'numbers list')).text).toContain('+15005550006')
  expect((await agent.line('read', 'numbers list')).text).not.toContain('+15005550006')
  expect((await agent.line('sandbox', 'profile list')).text).not.toContain('staging')
  expect((await agent.line('sandbox', 'server clock advance 1d')).isError).toBe(false)
  expect((await agent.line('sandbox', 'tools list --base-url https://staging.example')).isError).toBe(true)
  const run = await agent.close()
  expect(run.requests.filter((request) => !request.startsWith('GET'))).toEqual([])
})

test('the sandbox connects to no server', async () => {
  let requests = 0
  const { createServer } = await import('node:http')
  const server = createServer((_, response) => {
    requests += 1
    response.end('{}')
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as { port: number }
  try {
    await withClient('', async (agent) => {
      const url = `http://127.0.0.1:${port}/hook`
      const made = await agent.line('sandbox', [
        'tools',
        'create',
        '--name',
        'spy',
        '--description',
        'x',
        '--endpoint',
        url,
        '--method',
        'GET',
        '--tool-timeout',
        '5',
      ])
      const { text } = await agent.line('sandbox', 'tools test spy --yes')
      expect(text, made.text).toContain('reaches no other platform')
    })
    expect(requests).toBe(0)
  } finally {
    server.close()
  }
})

test('reports progress, and a cancelled call interrupts its command', async () => {
  const by = operator()
  const abort = new AbortController()
  const agent = await mcpClient(by, {
    flags: '--allow spend',
    through: (handle, request) => {
      if (request.url.startsWith('/api/user/tools')) abort.abort()
      return handle(request)
    },
  })
  const messages: string[] = []
  await agent.call(
    'read',
    { command: ['numbers', 'list'] },
    { onprogress: ({ message }) => messages.push(message ?? '') },
  )
  expect(messages[0]).toBe('Running parley numbers list')
  await expect(agent.call('read', { command: ['tools', 'list'] }, { signal: abort.signal })).rejects.toThrow()
  expect((await agent.line('read', 'numbers list')).isError).toBe(false)
  expect((await agent.close()).exitCode).toBe(0)
})

test('a purchase that is cancelled in the middle is known to the journal, and is not bought twice', async () => {
  const by = operator()
  const abort = new AbortController()
  const agent = await mcpClient(by, {
    flags: '--allow spend',
    through: async (handle, request) => {
      const answer = await handle(request)
      if (request.method === 'POST' && !abort.signal.aborted) {
        abort.abort()
        await new Promise((resolve) => setImmediate(resolve))
      }
      return answer
    },
  })
  const id = /"ops","run","(\w+)"/.exec((await agent.line('spend', 'numbers buy +15005550006')).text)?.[1] as string
  await by.run(`ops approve ${id}`, { answers: [['Approve this?', true]] })
  await expect(agent.call('spend', { command: ['ops', 'run', id] }, { signal: abort.signal })).rejects.toThrow()
  const again = await agent.line('spend', `ops run ${id}`)
  const { requests } = await agent.close()
  const keys = requests.filter((request) => request === 'POST /api/user/phone-numbers/purchase')
  const numbers = await by.json('numbers list')
  expect(
    numbers.filter((one: { phone_number: string }) => one.phone_number === '+15005550006'),
    again.text,
  ).toHaveLength(1)
  expect(await by.json('ops list --open')).toEqual([])
  expect(keys.length).toBeGreaterThan(0)
  expect(existsSync(join(by.dataDir, 'spends.ndjson'))).toBe(true)
})

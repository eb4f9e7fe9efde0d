import { describe, expect, test } from 'vitest'
import { keys } from '../../../../src/contract/resources/keys.ts'
import { tools } from '../../../../src/contract/resources/tools.ts'
import { operator, type RunOptions } from '../../../support/operator.ts'

const machine = ['json', 'ndjson', 'yaml', 'tsv', 'csv', 'id'] as const

/** Empties the account of what can be deleted over the command line. */
async function emptied() {
  const by = operator()
  for (const name of ['lookup_patient', 'book_appointment', 'quote_treatment', 'reschedule_visit'])
    await by.run(`tools delete ${name} --confirm ${name}`)
  await by.run('numbers release 3 --yes')
  return by
}

describe('--fields', () => {
  test('selects fields in every format, in the given order', async () => {
    const { run, json } = operator()
    expect(await json('tools list --fields name,id')).toEqual([
      { name: 'lookup_patient', id: 1 },
      { name: 'book_appointment', id: 2 },
      { name: 'quote_treatment', id: 3 },
      { name: 'reschedule_visit', id: 4 },
    ])
    expect((await run('tools get 1 -o json --fields name')).stdout).toBe('{\n  "name": "lookup_patient"\n}\n')
    expect((await run('tools list -o tsv --fields name,id')).stdout).toBe(
      'name\tid\nlookup_patient\t1\nbook_appointment\t2\nquote_treatment\t3\nreschedule_visit\t4\n',
    )
    expect((await run('tools list -o id --fields name,id --limit 1')).stdout).toBe('lookup_patient\t1\n')
    expect((await run('tools list --fields name,timeout --limit 1')).stdout).toBe(
      'Name\tTimeout (s)\nlookup_patient\t10\n',
    )
    expect((await run('tools get 1 -o yaml --fields id,timeout')).stdout).toBe('id: 1\ntimeout: 10\n')
    expect((await run('tools list -o ndjson --fields id --limit 2')).stdout).toBe('{"id":1}\n{"id":2}\n')
  })

  test('selects fields of a write and of a document in a table too', async () => {
    const { run } = operator()
    expect((await run('keys delete 2 --yes --fields id')).stdout).toBe('ID\t2\n')
    expect((await run('server faults clear --fields message')).stdout).toBe('Message\tFault rules deleted: 0.\n')
    expect((await run('automate templates post-call-callback --definition --fields trigger.name')).stdout).toBe(
      'Trigger name\ttrigger\n',
    )
    expect((await run(['api', 'tools.get', '--data', '{id: 1}', '--fields', 'name'])).stdout).toBe(
      'Name\tlookup_patient\n',
    )
    expect((await run('schema tools.create --fields type')).stdout).toBe('Type\tobject\n')
  })

  test('never shows the secret of a tool that was updated', async () => {
    const { run } = operator()
    const { stdout } = await run(['tools', 'update', '1', '--header', 'X-Key: sk-4711-abcdef', '--fields', 'headers'])
    expect(stdout).toContain('X-Key')
    expect(stdout).not.toContain('sk-4711-abcdef')
  })

  test('selects nested fields with dots', async () => {
    const { json } = operator()
    expect(await json('tools get 2 --fields headers.name,schema.required')).toEqual({
      headers: [{ name: 'X-Practice' }],
      schema: [{ required: true }, { required: true }, { required: false }],
    })
    expect(await json('whoami --fields origin.key')).toEqual({ origin: { key: 'data_folder' } })
  })

  test('help lists the fields without a request', async () => {
    const { run } = operator()
    const { stdout, requests, exitCode } = await run('tools update --fields help')
    expect(stdout.split('\n')).toEqual(expect.arrayContaining([...Object.keys(tools.get.output.shape), 'headers.name']))
    expect({ requests, exitCode }).toEqual({ requests: [], exitCode: 0 })
    expect((await run('keys list --fields help')).stdout).toBe(
      `${Object.keys(keys.list.output.shape.api_keys.element.shape).join('\n')}\n`,
    )
  })

  test('that are unknown are refused with a suggestion before anything is printed', async () => {
    const { run } = operator()
    const read = await run('keys list --fields nmae')
    expect(read).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: expect.stringContaining('Unknown field "nmae".'),
    })
    expect(read.stderr).toContain('Did you mean "name"?')
    for (const line of [
      'keys create --name x',
      'tools update 1 --tool-timeout 9',
      'numbers buy +15005550006 --yes',
      'server accounts update 1 --top-up 5',
      'server reset --yes',
      "api tools.update --data '{id: 1, timeout: 9}'",
    ]) {
      const { exitCode, stdout, requests } = await run(`${line} --fields nope --json`)
      expect({ line, exitCode, stdout, requests }).toEqual({ line, exitCode: 2, stdout: '', requests: [] })
    }
  })

  test('of a new key are those of the result, including its token', async () => {
    const { run, json } = operator()
    expect((await run('keys create --name x --fields token')).stdout).toMatch(/^Token\t4\|\w{40}\n$/)
    expect(Object.keys(await json('server accounts create --name Second --fields id,key'))).toEqual(['id', 'key'])
  })
})

describe('an empty list', () => {
  test('is an empty document for programs and a sentence on stderr for people', async () => {
    const { run } = await emptied()
    for (const [line, sentence] of [
      ['tools list', 'No tools. Create one: parley tools create.\n'],
      ['numbers search --country IT --contains 0000000000', 'No numbers found. Try fewer digits or another country.\n'],
      ['ops list', 'No billable operations.\n'],
      ['ops reconcile', 'Nothing to reconcile.\n'],
    ] as const) {
      expect((await run(`${line} --json`)).stdout, line).toBe('[]\n')
      expect((await run(`${line} -o yaml`)).stdout, line).toBe('[]\n')
      for (const form of ['ndjson', 'id']) expect((await run(`${line} -o ${form}`)).stdout, line).toBe('')
      expect(await run(line)).toMatchObject({ exitCode: 0, stdout: '', stderr: sentence })
      expect(await run(`${line} --quiet`)).toMatchObject({ exitCode: 0, stdout: '', stderr: '' })
    }
  })
})

describe('a page', () => {
  test('beyond the last is reported with the number of pages, not as an empty list', async () => {
    const { run, json } = operator()
    for (const [line, sentence] of [
      ['assistants list --page 99', 'Page 99 is empty. There is 1 page.\n'],
      ['assistants list --page 3 --per-page 1', 'Page 3 is empty. There are 2 pages.\n'],
      ['labels list --page 99 --per-page 2', 'Page 99 is empty. There are 2 pages.\n'],
    ]) {
      expect(await run(line as string)).toMatchObject({ exitCode: 0, stdout: '', stderr: sentence })
      expect(await run(`${line} --quiet`)).toMatchObject({ exitCode: 0, stdout: '', stderr: '' })
      expect(await json(line as string)).toEqual([])
    }
  })

  test('of an empty list is reported as empty', async () => {
    const { run } = operator()
    for (const name of ['Front desk', 'Recall']) await run(`assistants delete "${name}" --confirm "${name}" --yes`)
    expect((await run('assistants list --page 2')).stderr).toBe(
      'No assistants. Create one: parley assistants create.\n',
    )
  })

  test('of a platform without totals is also distinguished from an empty list', async () => {
    const through: RunOptions['through'] = async () => ({
      status: 200,
      headers: {},
      body: '{"data":[],"current_page":4,"next_page_url":null}',
    })
    expect((await operator().run('assistants list --page 4', { through })).stderr).toBe(
      'Page 4 is empty. There are fewer pages.\n',
    )
  })
})

describe('a failure', () => {
  const cases = [
    ['wrong usage', 'keys list --limit 0', 2],
    ['an unknown command', 'keys lst', 2],
    ['an unknown flag', 'keys list --nope', 2],
    ['a noun without a verb', 'keys', 2],
    ['a missing argument', 'tools get', 2],
    ['an unknown id', 'tools get 99', 4],
    ['an unknown name', 'tools get nobody', 4],
    ['a conflict', 'numbers buy +15005550000 --yes', 5],
    ['a refused field', 'tools update 1 --tool-timeout 31', 6],
    ['consent not given', 'keys delete 2', 10],
    ['a payment that failed', 'numbers buy +15005550003 --yes', 13],
  ] as const

  test.each(cases)(
    '(%s) is one object with exactly the documented keys on stderr, and nothing on stdout',
    async (_, line, code) => {
      const { run } = operator()
      for (const form of ['--json', '-o json', '--output=ndjson', '-o yaml', '-oyaml']) {
        const { exitCode, stdout, stderr } = await run(`${line} ${form}`)
        expect({ form, exitCode, stdout }).toEqual({ form, exitCode: code, stdout: '' })
        const parsed = JSON.parse(stderr)
        expect(Object.keys(parsed)).toEqual(['error'])
        expect(Object.keys(parsed.error)).toEqual([
          'code',
          'message',
          'hint',
          'status',
          'details',
          'request_id',
          'retry_after',
          'next',
        ])
        expect(stderr.endsWith('}\n') && stderr.indexOf('\n') === stderr.length - 1).toBe(true)
      }
    },
  )

  test.each(cases)('(%s) is a sentence on stderr for people, with --quiet too', async (_, line, code) => {
    const { run } = operator()
    for (const form of ['', '-o tsv', '-o id', '--quiet']) {
      const { exitCode, stdout, stderr } = await run(`${line} ${form}`)
      if (line === 'keys') continue
      expect({ form, exitCode, stdout }).toEqual({ form, exitCode: code, stdout: '' })
      expect(stderr).toMatch(/^error: \S/)
    }
  })

  test('is JSON if the environment selects it, even if the command line is invalid', async () => {
    const { run } = operator()
    for (const line of ['keys list --nope', 'keys lst', 'keys']) {
      expect(JSON.parse((await run(line, { env: { PARLEY_OUTPUT: 'json' } })).stderr).error.code, line).toBe('usage')
    }
  })

  test('of the platform has its status, message, fields and request id', async () => {
    const { run } = operator()
    const { error } = JSON.parse((await run('tools update 1 --tool-timeout 31 --json')).stderr)
    expect(error).toMatchObject({
      code: 'invalid',
      message: 'Validation failed',
      status: 422,
      details: [{ path: 'timeout', message: 'The timeout field must be between 1 and 30.' }],
      request_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    })
  })
})

describe('--safe', () => {
  test('is refused for formats that no spreadsheet reads', async () => {
    const { run } = operator()
    expect((await run('tools list -o csv --safe --fields id --limit 1')).stdout).toBe('id\n1\n')
    for (const form of ['', '-o json', '-o id'])
      expect(await run(`tools list --safe ${form}`)).toMatchObject({
        exitCode: 2,
        stdout: '',
        stderr: expect.stringContaining('--safe requires -o csv or -o tsv.'),
      })
  })
})

describe('a list', () => {
  test('stops after --limit items, in every format', async () => {
    const { run } = operator()
    for (const form of machine) {
      const { stdout } = await run(`numbers search -o ${form} --limit 3`)
      const count = { json: () => JSON.parse(stdout).length, yaml: () => stdout.match(/^- /gm)?.length }[
        form as 'json' | 'yaml'
      ]
      expect(count ? count() : stdout.trimEnd().split('\n').length, form).toBe(form === 'tsv' || form === 'csv' ? 4 : 3)
    }
    expect((await run('numbers search --limit 3')).stdout.split('\n')).toHaveLength(5)
  })

  test('is printed as the platform sent it with --envelope', async () => {
    const { json } = operator()
    expect(Object.keys(await json('keys list --envelope'))).toEqual(['api_keys'])
    expect(Object.keys(await json('numbers list --envelope'))).toEqual(['data'])
    expect(await json('tools list --envelope')).toHaveLength(4)
  })

  test('without pages refuses --page', async () => {
    const { run } = operator()
    for (const flag of ['--page 2', '--per-page 5']) {
      expect(await run(`tools list ${flag}`)).toMatchObject({
        exitCode: 2,
        stdout: '',
        requests: [],
        stderr: expect.stringContaining('has no pages'),
      })
    }
    expect(await run('tools list --all -o id')).toMatchObject({ exitCode: 0, stdout: '1\n2\n3\n4\n' })
  })
})

test('times are local for people, and unchanged for programs and with --utc', async () => {
  const { run, json } = operator()
  const [first] = await json('keys list')
  expect(first.created_at).toBe('2026-05-06T12:00:00.000000Z')
  expect((await run('keys list --fields created_at --limit 1')).stdout).toMatch(
    /^Created\n2026-05-0[567] \d\d:\d\d:\d\d [+-]\d\d:\d\d\n$/,
  )
  expect((await run('keys list --utc --fields created_at --limit 1')).stdout).toBe(
    'Created\n2026-05-06T12:00:00.000000Z\n',
  )
})

test('a write prints one sentence with the id for people, and the next command on stderr', async () => {
  const { run } = operator()
  expect(await run('tools update 2 --tool-timeout 20')).toMatchObject({
    stdout: 'Tool updated successfully. Id: 2\n',
    stderr: 'Next: parley tools get 2\n',
  })
  expect(await run('keys delete 2 --yes')).toMatchObject({ stdout: 'API key deleted successfully.\n', stderr: '' })
  expect((await run('tools update 2 --tool-timeout 21 -o id')).stdout).toBe('2\n')
})

test('text from the platform cannot control a terminal, and reaches programs unchanged', async () => {
  const { run, json } = operator()
  const evil = '\u001b[31mred\u0007'
  await run(['keys', 'create', '--name', evil])
  expect((await run('keys list')).stdout).toContain('red')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these must not be there
  expect((await run('keys list', { terminal: true })).stdout).not.toMatch(/\u001b\[31m|\u0007/)
  expect((await json('keys list')).at(-1).name).toBe(evil)
})

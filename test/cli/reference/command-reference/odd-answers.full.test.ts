import { mkdirSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { riskOf } from '../../../../src/cli/program/commandline/command.ts'
import type { PlainResponse } from '../../../../src/contract/endpoint/http-message.ts'
import { allCommands } from '../../../../src/generate/reference-files.ts'
import { openPlatform } from '../../../../src/platform/compose.ts'
import { createSecretGenerator } from '../../../../src/platform/control/data-folder/secret-generator.ts'
import { type Handle, type Operator, operator, type Run, sampleSeed, today } from '../../../support/operator.ts'

const localKey = `1|${createSecretGenerator(sampleSeed)('key local', 40)}`

type Json = Record<string, unknown>
const isObject = (it: unknown): it is Json => typeof it === 'object' && it !== null && !Array.isArray(it)

/** Another JSON value, made from the leaves up. */
function each(json: unknown, change: (value: unknown, key: string) => unknown, key = ''): unknown {
  if (Array.isArray(json))
    return change(
      json.map((item) => each(item, change, key)),
      key,
    )
  if (!isObject(json)) return change(json, key)
  return change(Object.fromEntries(Object.entries(json).map(([name, value]) => [name, each(value, change, name)])), key)
}

/** An answer with its JSON changed. */
const json =
  (change: (body: unknown) => unknown) =>
  (answer: PlainResponse): PlainResponse => ({ ...answer, body: JSON.stringify(change(JSON.parse(answer.body))) })

/** Another answer instead. */
const instead =
  (status: number, body: string, type = 'application/json') =>
  (): PlainResponse => ({ status, headers: { 'content-type': type }, body })

/** Pages by cursor: the items, where the next ones are, and none of what goes with numbers. */
const byCursor = json((body) =>
  isObject(body) && Object.hasOwn(body, 'per_page')
    ? { data: body.data, path: body.path, per_page: body.per_page, next_cursor: null, prev_cursor: null }
    : body,
)

type Change = (answer: PlainResponse) => PlainResponse

/** What is understood: reads say the same as ever. */
const understood: Readonly<Record<string, Change>> = {
  'unknown fields': json((body) => each(body, (it) => (isObject(it) ? { ...it, x_new: { a: [1, null] } } : it))),
  'numbers as text': json((body) =>
    each(body, (it, key) => (typeof it === 'number' && key !== 'default' ? String(it) : it)),
  ),
  'booleans as 0 and 1': json((body) => each(body, (it) => (typeof it === 'boolean' ? Number(it) : it))),
  'pages by cursor': byCursor,
  'a byte order mark and blanks': (answer) => ({ ...answer, body: `\uFEFF\n ${answer.body}\n\n` }),
}

/** What is not: reported plainly, or shown as far as it goes. */
const strange: Readonly<Record<string, Change>> = {
  'every field missing': json((body) => each(body, (it, key) => (isObject(it) && key !== '' ? {} : it))),
  'nothing but ids': json((body) =>
    each(body, (it, key) => (isObject(it) && key !== '' ? (it.id === undefined ? {} : { id: it.id }) : it)),
  ),
  'every value null': json((body) => each(body, (it) => (isObject(it) || Array.isArray(it) ? it : null))),
  'objects for values': json((body) => each(body, (it) => (isObject(it) || Array.isArray(it) ? it : { a: 1 }))),
  'lists for values': json((body) => each(body, (it) => (isObject(it) || Array.isArray(it) ? it : [it]))),
  'texts for lists and objects': json((body) =>
    each(body, (it, key) => (key !== '' && (isObject(it) || Array.isArray(it)) ? 'text' : it)),
  ),
  'numbers for everything': json((body) => each(body, (it, key) => (key !== '' ? 7 : it))),
  'null in every list': json((body) => each(body, (it) => (Array.isArray(it) ? [null, ...it, 'text', 3] : it))),
  'huge numbers and odd texts': json((body) =>
    each(body, (value) =>
      typeof value === 'number' ? 1e300 : typeof value === 'string' ? `\u001b[2J\u0000\ud800${value}\u202e` : value,
    ),
  ),
  'an empty object': instead(200, '{}'),
  'an empty list': instead(200, '[]'),
  null: instead(200, 'null'),
  text: instead(200, '"done"'),
  nothing: instead(200, ''),
  'nothing, 204': instead(204, ''),
  'JSON that breaks off': (answer) => ({ ...answer, body: answer.body.slice(0, Math.ceil(answer.body.length / 2)) }),
  'a page for people': instead(
    200,
    '<html><head><title>Welcome</title></head><body><script>x</script>Hello</body></html>',
    'text/html',
  ),
  'an error page for people': instead(502, '<html><title>502 Bad Gateway</title></html>', 'text/html'),
  '{status: false, error} for 422': instead(422, '{"status":false,"error":"The name is too long."}'),
  'an error inside an object': instead(400, '{"error":{"message":"No.","code":"nope"}}'),
  'a refusal with nothing in it': instead(422, '{}'),
  'errors that are no texts': instead(422, '{"message":{"a":1},"errors":{"name":[{"x":1},null,3],"y":null}}'),
  'a success that says it failed': instead(200, '{"success":false,"status":false,"error":"It did not work."}'),
  'a redirection': () => ({ status: 302, headers: { location: 'https://elsewhere.example/login' }, body: '' }),
  'a teapot': instead(418, 'short and stout', 'text/plain'),
}

/** Lines that ask a platform: the examples of the help. */
const commands = await allCommands()
const lines = commands
  // Those of other shapes, and the one that waits for events.
  .filter(
    ([words]) =>
      !/^(server|profile|demo|completion|help|schema|ui|open|events listen|automate runs save)\b/.test(words),
  )
  .flatMap(([words, command]) =>
    command.examples.map((example) => ({ line: `${words} ${example}`.trim(), reads: riskOf(command) === 'read' })),
  )
  .filter(({ line }) => !/[<>]|--edit|--profile|--url|^login|^api sms/.test(line))
  // What it finds depends on the files an earlier run has written.
  .map(({ line, reads }) => ({ line, reads: reads && !/^(automate pull|pull|diff|history)/.test(line) }))

let change: Change = (answer) => answer
let handle: Handle
let url = ''
const host = http.createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', async () => {
    const body = Buffer.concat(chunks).toString()
    const answer = change(
      await handle({
        method: request.method ?? '',
        url: request.url ?? '',
        headers: request.headers as Record<string, string>,
        ...(body !== '' && { body }),
      }),
    )
    response.writeHead(answer.status, answer.headers)
    response.end(answer.body)
  })
})
beforeAll(async () => {
  await new Promise<void>((done) => host.listen(0, '127.0.0.1', done))
  url = `http://127.0.0.1:${(host.address() as AddressInfo).port}`
})
afterAll(() => new Promise((done) => host.close(done)))

const trigger = {
  name: 'trigger',
  type: 'PIECE_TRIGGER',
  settings: { pieceName: '@engine/piece-webhook', triggerName: 'catch_webhook', input: { authType: 'none' } },
}
const flow = {
  trigger,
  steps: [
    {
      type: 'CODE',
      settings: { sourceCode: { code: 'export const code = async () => 1', packageJson: '{}' }, input: {} },
    },
  ],
}

/** Somebody whose platform is the one on loopback, which has the seeded world. */
async function elsewhere(): Promise<Operator> {
  const home = operator({ supports: 'neutral' })
  const started = await home.run(['automate', 'create', '--name', 'Greeting', '--flow', JSON.stringify(flow)])
  if (started.exitCode !== 0) throw new Error(started.stderr)
  const platform = await openPlatform({
    dataDir: home.dataDir,
    wall: () => today,
    pid: process.pid,
    isAlive: () => true,
  })
  handle = platform.handle
  const by = operator({ fresh: true, supports: 'neutral' })
  mkdirSync(by.configDir, { recursive: true, mode: 0o700 })
  const config = { current: 'there', profiles: { there: { base_url: url, api_key: localKey } } }
  writeFileSync(join(by.configDir, 'config.json'), JSON.stringify(config), { mode: 0o600 })
  return by
}

/** What must not be shown to anybody: the marks of a program that did not look. */
const broken = /undefined|\bNaN\b|\[object |TypeError|is not a function|Cannot read|Invalid Date|went wrong inside/

/** What is wrong with what a command did, as a person would put it. */
function wrongWith({ exitCode, stdout, stderr }: Run, drawn: boolean): string | undefined {
  // The error of a run in the sample data, which is there to be shown.
  const text = (stdout + stderr).replaceAll(/TypeError: inputs\.day\S*( is not a function)?/g, '')
  if (broken.test(text)) return `shows ${broken.exec(text)?.[0]}`
  if (exitCode === 1) return 'is an error of its own'
  if (exitCode !== 0 && exitCode !== 20 && stderr === '') return `ends with ${exitCode} and says nothing`
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these must not reach a terminal
  if (drawn && /[\u0000-\u0008\u000b-\u001f]/.test(stdout.replaceAll(/\u001b\[[\d;]*m/g, '')))
    return 'writes control characters to a terminal'
  return undefined
}

/** A response without the fields that depend on the run. */
const known = (stdout: string): unknown =>
  stdout && each(JSON.parse(stdout), (it) => (isObject(it) ? { ...it, x_new: undefined } : it))

describe.each(Object.entries(understood))('a platform that answers with %s', (_what, odd) => {
  test('is understood by every command', async () => {
    const by = await elsewhere()
    const problems: string[] = []
    for (const { line, reads } of lines.filter((it) => !/ -o /.test(it.line))) {
      const run = () => by.run(`${line} --retries 0${/--json/.test(line) ? '' : ' --json'}${reads ? '' : ' --yes'}`)
      change = (answer) => answer
      const plain = reads ? await run() : undefined
      change = odd
      const ran = await run()
      const wrong = wrongWith(ran, false)
      if (wrong !== undefined) problems.push(`${line}: ${wrong}`)
      // The output of a step may have any type: a number that arrived as text stays text. A variable may have any name.
      if (plain && !/^(whoami|doctor|automate runs get|conversations to-test|calls to-test)/.test(line))
        expect([ran.exitCode, known(ran.stdout)], line).toEqual([plain.exitCode, known(plain.stdout)])
    }
    expect(problems).toEqual([])
  })
})

const formats = ['table', 'json', 'tsv'] as const
/** Each line has each form with a third of the answers; with PARLEY_EVERY_FORM=1 with all of them. */
const formsOf = (n: number): readonly string[] =>
  process.env.PARLEY_EVERY_FORM ? formats : [formats[n % formats.length] as string]

describe.each(Object.entries(strange).map(([what, odd], n) => [what, odd, n] as const))(
  'a platform that answers with %s',
  (_what, odd, turn) => {
    test('causes a plain error in every command', async () => {
      const by = await elsewhere()
      change = odd
      const problems: string[] = []
      for (const [n, { line, reads }] of lines.filter((it) => !/ (-o|--json)\b/.test(it.line)).entries())
        for (const format of formsOf(n + turn)) {
          const ran = await by.run(`${line} --retries 0 -o ${format}${reads ? '' : ' --yes'}`, {
            terminal: format === 'table' ? { stdout: true } : false,
          })
          const wrong = wrongWith(ran, format === 'table')
          if (wrong !== undefined) problems.push(`${line} -o ${format}: ${wrong}: ${ran.stderr.split('\n', 1)[0]}`)
        }
      expect(problems).toEqual([])
    })
  },
)

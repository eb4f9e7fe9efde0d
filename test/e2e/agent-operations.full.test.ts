import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { json, startHost } from '../support/servers/http-hosts.ts'
import { newPlace, type Place, parley } from './support/built-program.ts'
import { serve } from './support/server-process.ts'

// A coding agent operates an account on a server elsewhere: what only reads or stops runs at once, what starts something again, deletes
// or spends waits for a person or is refused.

const server = await serve(newPlace())
let at: Place
let campaign: string

const own = async (line: string): Promise<string> => {
  const { exitCode, stdout, stderr } = await parley(line, { at: server.at })
  expect(exitCode, `${line}: ${stderr}`).toBe(0)
  return stdout.trim()
}

beforeAll(async () => {
  at = newPlace()
  const set = await parley(`profile set far --url ${server.url} --api-key-stdin`, { at, input: server.key })
  expect(set, set.stderr).toMatchObject({ exitCode: 0 })
  await parley('profile use far', { at })
  await own('tools create --name Lonely --description x --endpoint https://tool.example --method GET --tool-timeout 5')
  // Its only call may end before it is stopped.
  campaign = await own(
    'campaigns create --name Recall --assistant 2 --timezone UTC --no-mark-complete-when-no-leads -o id',
  )
  await own(`leads create --campaign ${campaign} --phone-number +14155550199`)
  await own(`campaigns start ${campaign} --yes`)
  writeFileSync(join(at.dir, 'rows.csv'), 'phone_number,channel\n+14155550177,sms\n')
  writeFileSync(
    join(at.dir, 'rubric.yaml'),
    'version: 1\nname: R\ncriteria:\n  - {id: a, question: Was the question answered?}\n',
  )
  const pulled = await parley('pull parley', { at })
  expect(pulled, pulled.stderr).toMatchObject({ exitCode: 0 })
})

/** What an agent gets: it runs, it waits for a person, or only a person may run it. */
type Outcome = 'runs' | 'waits' | 'person'

const front = 'parley/assistants/front-desk.yaml'

test.each<[line: string, outcome: Outcome]>([
  ['contacts block +14155550142 --channel sms', 'runs'],
  ['contacts import --file rows.csv', 'runs'],
  ['contacts list', 'runs'],
  ['contacts export', 'runs'],
  ['contacts unblock +14155550142 --channel sms --yes', 'waits'],
  ['contacts settings', 'runs'],
  ['contacts update-settings --start-words go', 'waits'],
  ['contacts hours', 'runs'],
  ['contacts update-hours --timezone UTC', 'waits'],
  ['contacts send-waiting 1 --yes', 'waits'],
  ['campaigns stop --filter name=Recall', 'runs'],
  ['automate disable --filter status=enabled', 'runs'],
  ['automate runs cancel --filter status=RUNNING', 'runs'],
  ['assistants update --filter name~a --max-duration 200 --yes', 'waits'],
  ['tools list --unused', 'runs'],
  ['tools delete --unused --yes', 'waits'],
  ['keys rotate --yes', 'person'],
  ['keys rotate --keep-old --yes', 'person'],
  ['audit --json', 'runs'],
  ['calls search hello', 'runs'],
  ['calls export --since 30d --recordings recordings', 'runs'],
  ['conversations judge --rubric rubric.yaml --since 30d --yes', 'runs'],
  ['conversations judge --rubric rubric.yaml --since 30d --model judge-1 --yes', 'person'],
  ['calls judge --rubric rubric.yaml --since 30d --model judge-1 --yes', 'person'],
  [`assistants chat --file ${front} --message Hello`, 'runs'],
  [`assistants chat --file ${front} --message Hello --live-tools --confirm-side-effects`, 'person'],
  ['messaging send --sender 1 --template opening_hours --to +14155550143 --yes --wait=delivered', 'waits'],
  ['stop --all', 'runs'],
  ['stop --all --hang-up', 'runs'],
  ['resume --yes', 'waits'],
])('parley %s: %s', async (line, outcome) => {
  const model = await startHost(json({}))
  const env = {
    CLAUDECODE: '1',
    ...(line.includes('--model') && { PARLEY_MODEL_URL: model.url, PARLEY_MODEL_KEY: 'secret' }),
  }
  const { exitCode, stderr } = await parley(line, { at, env })
  const code =
    exitCode === 10 ? (JSON.parse(stderr.split('\n').find((it) => it.startsWith('{')) ?? '{}').error?.code ?? '') : ''
  expect([exitCode, code], stderr).toEqual(
    outcome === 'runs' ? [0, ''] : [10, outcome === 'waits' ? 'approval_pending' : 'consent'],
  )
  if (outcome === 'person') expect(stderr).toContain(`parley ${line}`)
  expect(model.seen).toEqual([])
})

test('the campaign was stopped, and the stop of the account is not resumed', async () => {
  expect(JSON.parse(await own(`campaigns get ${campaign} --json`)).status).toBe('paused')
  expect(JSON.parse(await own('api user.activity --json')).data.stopped_at).not.toBe(null)
  expect(await own('tools list --json')).toContain('Lonely')
})

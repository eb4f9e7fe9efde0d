import type { AutomationNode } from '../../../contract/automations/automation-node.ts'
import { day, hour, type Micros, second } from '../../../contract/values/micros.ts'
import { contentHash } from '../../../engine/definition/compile-definition.ts'
import { stringifyJson } from '../../../node/json.ts'
import { insertVersion } from '../../store/automations/automation-versions.ts'
import { insertAutomation } from '../../store/automations/automations.ts'
import { finishStep, startStep } from '../../store/automations/run-steps.ts'
import { insertRun, type RunRow, updateRun } from '../../store/automations/runs.ts'
import type { Query } from '../../store/database/connection.ts'

interface SeedContext {
  readonly account: number
  readonly now: Micros
  readonly secrets: (label: string, length: number) => string
}

const step = (node: AutomationNode, nextAction?: AutomationNode): AutomationNode => ({
  ...node,
  valid: true,
  ...(nextAction && { nextAction }),
})

const questionTrigger: AutomationNode = {
  name: 'trigger',
  type: 'PIECE_TRIGGER',
  displayName: 'Question from the website',
  settings: {
    pieceName: '@engine/piece-webhook',
    pieceVersion: '~0.1.20',
    triggerName: 'catch_webhook',
    input: { authType: 'none' },
  },
}

const openingHoursStep = (code: string): AutomationNode => ({
  name: 'step_1',
  type: 'CODE',
  displayName: 'Find the opening hours',
  settings: {
    sourceCode: { code: `export const code = async (inputs) => (${code})`, packageJson: '{}' },
    input: { day: "{{trigger['body']['day']}}" },
  },
})

const answerStep = (name: string, body: Readonly<Record<string, unknown>>): AutomationNode => ({
  name,
  type: 'PIECE',
  displayName: 'Answer',
  settings: {
    pieceName: '@engine/piece-webhook',
    pieceVersion: '~0.1.20',
    actionName: 'return_response',
    input: { responseType: 'json', fields: { status: 200, headers: {}, body }, respond: 'stop' },
  },
})

const openingHoursFlow = (code: string): AutomationNode =>
  step(questionTrigger, step(openingHoursStep(code), step(answerStep('step_2', { hours: "{{step_1['hours']}}" }))))
const versions = [
  openingHoursFlow("{ hours: '8:00 to 17:00' }"),
  openingHoursFlow("{ hours: ['saturday', 'sunday'].includes(inputs.day.toLowerCase()) ? 'closed' : '8:00 to 17:00' }"),
]

const moveVisitFlow = step(
  { ...questionTrigger, displayName: 'Visit to move' },
  step(answerStep('step_1', { moved: true, new_day: "{{trigger['body']['new_day']}}" })),
)

/** Id of the automation that the sample tool `reschedule_visit` runs. */
export const moveVisitId = 'Vq3tR8mKx2LpZc5WnYd7a'

const weeklyCountFlow = step(
  {
    name: 'trigger',
    type: 'PIECE_TRIGGER',
    displayName: 'Every Monday at eight',
    settings: {
      pieceName: '@engine/piece-schedule',
      pieceVersion: '~0.1.5',
      triggerName: 'every_week',
      input: { day_of_the_week: 1, hour_of_the_day: 8, timezone: 'America/Los_Angeles' },
    },
  },
  step({
    name: 'step_1',
    type: 'CODE',
    displayName: 'Count the week',
    settings: {
      sourceCode: { code: 'export const code = async () => new Date().toISOString().slice(0, 10)', packageJson: '{}' },
      input: {},
    },
  }),
)

/**
 * Inserts three automations: one answers questions of a website and has an earlier version and two runs, one is run by a
 * tool, and one is disabled.
 */
export async function seedAutomations(query: Query, seeding: SeedContext): Promise<void> {
  const { secrets, now } = seeding
  const [first, last] = [secrets('automation hours', 21), secrets('automation reminder', 21)]
  const live = await insertSampleAutomation(query, seeding, {
    id: first,
    name: 'Opening hours',
    status: 'enabled',
    kind: 'webhook',
    versions,
    at: now - 6 * day,
  })
  await insertSampleAutomation(query, seeding, {
    id: moveVisitId,
    name: 'Move a visit',
    status: 'enabled',
    kind: 'webhook',
    versions: [moveVisitFlow],
    at: now - 5 * day,
  })
  await insertSampleAutomation(query, seeding, {
    id: last,
    name: 'Weekly count',
    status: 'disabled',
    kind: 'schedule',
    versions: [weeklyCountFlow],
    at: now - 3 * day,
  })
  await insertSampleRun(query, seeding, {
    automation: first,
    version: live,
    label: 'run 2',
    at: now - 5 * hour,
    failure: 'TypeError: inputs.day.toLowerCase is not a function (line 1)',
  })
  await insertSampleRun(query, seeding, {
    automation: first,
    version: live,
    label: 'run 1',
    at: now - 2 * hour,
    failure: null,
  })
}

interface SeedAutomation {
  readonly id: string
  readonly name: string
  readonly status: 'enabled' | 'disabled'
  readonly kind: 'webhook' | 'schedule'
  readonly versions: readonly AutomationNode[]
  readonly at: Micros
}

/** Inserts an automation with its versions. Returns the id of the live version. */
async function insertSampleAutomation(
  query: Query,
  { account, secrets }: SeedContext,
  { id, name, status, kind, versions, at }: SeedAutomation,
): Promise<string> {
  const ids = versions.map((_, n) => secrets(`version ${id} ${n}`, 21))
  const live = ids.at(-1) as string
  const updated_at = at + (versions.length - 1) * day
  await insertAutomation(query, {
    id,
    account_id: account,
    name,
    status,
    live_version: live,
    draft_version: null,
    draft_note: null,
    cursor: null,
    created_at: at,
    updated_at,
  })
  for (const [n, trigger] of versions.entries()) {
    const definition = stringifyJson(trigger)
    const row = {
      id: ids[n] as string,
      account_id: account,
      automation_id: id,
      position: n + 1,
      definition,
      program: definition,
      hash: contentHash(trigger),
    }
    const when = at + n * day
    await insertVersion(query, {
      ...row,
      trigger_kind: kind,
      event: null,
      assistant_id: null,
      connections: '[]',
      restored_from: null,
      created_at: when,
      published_at: when,
    })
  }
  return live
}

interface SeedRun {
  readonly automation: string
  readonly version: string
  readonly label: string
  readonly at: Micros
  /** The error of the first step; null when it succeeded. */
  readonly failure: string | null
}

async function insertSampleRun(
  query: Query,
  { account, secrets }: SeedContext,
  { automation, version, label, at, failure }: SeedRun,
): Promise<void> {
  const body = failure === null ? { day: 'sunday' } : { day: 7 }
  const run = (await insertRun(query, {
    id: secrets(`automation ${label}`, 21),
    account_id: account,
    automation_id: automation,
    version_id: version,
    testing: 0,
    status: 'RUNNING',
    payload: stringifyJson({ method: 'POST', headers: {}, queryParams: {}, body }),
    claims: 1,
    held: 1,
    mark: 0,
    stalls: 0,
    round: 1,
    active: 0,
    created_at: at,
  })) as RunRow
  const outputs =
    failure === null ? ['{"hours":"closed"}', '{"status":200,"headers":{},"body":{"hours":"closed"}}'] : [null]
  for (const [n, output] of outputs.entries()) {
    const path = `step_${n + 1}`
    const startedAt = at + n * 20_000
    await startStep(query, run, { account, path, name: path, position: n + 1, now: startedAt })
    const failed = failure !== null
    await finishStep(query, run.number, {
      path,
      input: path === 'step_1' ? stringifyJson({ day: body.day }) : null,
      output,
      shown: null,
      status: failed ? 'FAILED' : 'SUCCEEDED',
      failures: failed ? 1 : 0,
      error: failure,
      classification: failed ? 'wiring_error' : null,
      unresolved: null,
      log: null,
      now: startedAt + 15_000,
    })
  }
  const answered = failure === null ? stringifyJson({ status: 200, headers: {}, body: { hours: 'closed' } }) : null
  const error = failure === null ? null : `Find the opening hours: ${failure}`
  await updateRun(query, run.number, {
    status: failure === null ? 'SUCCEEDED' : 'FAILED',
    held: 0,
    answer: answered,
    error,
    finished_at: at + second / 10,
  })
}

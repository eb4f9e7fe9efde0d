import type { AutomationNode } from '../../../../contract/automations/automation-node.ts'
import type { BuiltAutomation, RunStep } from '../../../../contract/automations/automation-records.ts'
import { Failure } from '../../../../contract/errors/failures.ts'
import { isObject } from '../../../../contract/values/json-object.ts'
import { isFiredByTest } from '../../../../engine/analysis/external-actions.ts'
import { compileDefinition } from '../../../../engine/definition/compile-definition.ts'
import { findSecrets, hideSecretsIn } from '../../../../engine/definition/secrets.ts'
import { toFlatTexts } from '../../../../engine/pieces/respond.ts'
import { StepFailure } from '../../../../engine/pieces/step-failure.ts'
import type { RunAnswer } from '../../../../engine/runs/run-state.ts'
import { toCall, toWebhookRequest } from '../../../../engine/templates/event-samples.ts'
import { hashJson } from '../../../../node/canonical-json.ts'
import { messageOf } from '../../../../node/is-error.ts'
import { parseJson, stringifyJson } from '../../../../node/json.ts'
import { realTime } from '../../../../node/real-time.ts'
import { requireValue } from '../../../../node/require-value.ts'
import type { Runner } from '../../../runs/runner.ts'
import { releaseAutomationSlots } from '../../../store/assistants/event-slots.ts'
import {
  deleteDrafts,
  findVersion,
  insertVersion,
  nextVersionPosition,
  updateVersion,
  type VersionRow,
} from '../../../store/automations/automation-versions.ts'
import {
  type AutomationRow,
  deleteAutomation,
  findAutomation,
  insertAutomation,
  updateAutomationRow,
} from '../../../store/automations/automations.ts'
import { listSteps } from '../../../store/automations/run-steps.ts'
import { findRun } from '../../../store/automations/runs.ts'
import { readAutomationValue, valuesOwner } from '../../../store/automations/stored-values.ts'
import { accountQuery } from '../../../store/database/account-query.ts'
import type { AccountQuery } from '../../../store/database/connection.ts'
import type { Deps } from '../../runtime/deps.ts'
import type { RestrictedKey } from '../../runtime/key-access.ts'
import { requireConnections } from '../ports/connection-service.ts'
import { testReports } from '../runs/run-records.ts'
import { assistantEventSample } from '../triggers/assistant-event-service.ts'
import { activateTrigger, deactivateTrigger, firstRunAt } from '../triggers/trigger-activation.ts'
import { newId } from './automation-ids.ts'
import type { BuildPlan, FlowDraft } from './build-plan.ts'
import { applyEngineFault } from './engine-faults.ts'
import { bindEvent, listBindings, requireFreeEvent, versionBinding } from './event-bindings.ts'
import { requireLiveVersion } from './require-live-version.ts'
import { readDefinition, sealDefinition } from './sealed-definitions.ts'

/** The outcome of a test run. */
interface TestOutcome {
  readonly test: BuiltAutomation['test']
  readonly response: BuiltAutomation['response']
  /** Id of the run; null when no run was started. */
  readonly run: string | null
}

/** The outcome for a definition whose trigger cannot be fired on demand. */
const notTested: TestOutcome = { test: { run_status: 'not_tested', steps: [] }, response: null, run: null }

/** Maximum duration of a test in milliseconds. A longer run is reported as having no result. */
const testTimeoutMs = 120_000

/**
 * Runs a version once with a payload and returns the outcome. Steps have real effects. A run that waits at a delay
 * counts as passed.
 */
async function testVersion(
  deps: Pick<Deps, 'connection' | 'clock' | 'runner' | 'vault'>,
  version: VersionRow,
  payload: unknown,
  key: RestrictedKey | undefined,
): Promise<TestOutcome> {
  const { connection, clock } = deps
  const runner = await deps.runner()
  const accepted = await connection.write({ account: version.account_id }, async (query) => {
    const automation = { id: version.automation_id, account_id: version.account_id, key_id: key?.id ?? null }
    return runner.accept(query, { automation, version, payload, testing: true }, await clock.now(query))
  })
  if (!accepted) return noRun
  await runWithTimeout(runner, accepted)
  const read = accountQuery(connection.read, version.account_id)
  const run = await findRun(read, accepted.row.id)
  if (!run || run.status === 'RUNNING') return { ...noRun, run: accepted.row.id }
  const answer = run.answer === null ? undefined : (parseJson(run.answer) as RunAnswer)
  const steps = testReports(await listSteps(read, run.number))
  const result = {
    test: { run_status: run.status, steps },
    response: hideResponseSecrets(responseBody(answer), readDefinition(deps.vault, version)),
    run: run.id,
  }
  return version.event === 'inbound' && run.status !== 'FAILED' ? checkVariables(result, answer) : result
}

const noRun: TestOutcome = { test: { run_status: 'no_run', steps: [] }, response: null, run: null }

async function runWithTimeout(runner: Runner, accepted: Parameters<Runner['start']>[0]): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<void>((resolve) => {
    timer = realTime.setTimeout(resolve, testTimeoutMs)
  })
  await Promise.race([runner.start(accepted), timeout])
  realTime.clearTimeout(timer)
}

/** Fails the test of an inbound-call automation whose response does not contain valid variables for the assistant. */
function checkVariables({ test, response, run }: TestOutcome, answer: RunAnswer | undefined): TestOutcome {
  try {
    if (!answer) throw new StepFailure('An inbound call needs a response, but no respond step was reached.')
    toFlatTexts(answer.body)
    return { test, response, run }
  } catch (error) {
    const [last, ...before] = test.steps.toReversed()
    const failed: RunStep[] = last
      ? [{ ...last, status: 'FAILED', classification: 'wiring_error', error: messageOf(error) }]
      : []
    return { test: { run_status: 'FAILED', steps: [...before.toReversed(), ...failed] }, response, run }
  }
}

/**
 * Returns the response without the secrets of the definition. Callers of the webhook receive them, but a test need not
 * show them.
 */
function hideResponseSecrets(
  response: BuiltAutomation['response'],
  trigger: AutomationNode,
): BuiltAutomation['response'] {
  return hideSecretsIn(response, findSecrets(trigger))
}

function responseBody(answer: RunAnswer | undefined): BuiltAutomation['response'] {
  const body = answer?.body ?? null
  if (body === null || typeof body === 'string') return body
  return isObject(body) ? body : stringifyJson(body)
}

interface PublishOptions {
  readonly key: RestrictedKey | undefined
  readonly enabled?: boolean | undefined
  readonly name?: string | undefined
  readonly expected?: string | undefined
}

/**
 * Returns the automation as stored. The draft must be the current one, and the live version the one that the caller
 * read.
 * @throws Failure 404 `not_found`, 409 `version_changed`
 */
async function requireCurrentDraft(
  query: AccountQuery,
  { account_id, id }: AutomationRow,
  draft: VersionRow,
  expected: string | undefined,
): Promise<AutomationRow> {
  const row = await findAutomation(accountQuery(query, account_id), id)
  if (!row) throw new Failure('automate.not_found')
  await requireLiveVersion(query, row, expected)
  if (row.draft_version !== draft.id)
    throw new Failure('automate.version_changed', {
      text: 'Another change replaced this definition before it was published. Nothing changed.',
    })
  return row
}

/**
 * Publishes a draft that passed its test, in one transaction. The automation stays enabled or disabled unless `enabled`
 * is given. Returns whether the automation is enabled now.
 * @throws Failure 404, 409 `version_changed`, 422; nothing changed then
 */
function publishTested(
  { connection, clock }: Deps,
  before: AutomationRow,
  draft: VersionRow,
  plan: BuildPlan,
  options: PublishOptions,
): Promise<boolean> {
  const { account_id: account, id } = before
  return connection.write({ account }, async (query) => {
    const row = await requireCurrentDraft(query, before, draft, options.expected)
    await requireConnections(query, account, plan.connections)
    const now = await clock.now(query)
    const isEnabled = options.enabled ?? row.status === 'enabled'
    // A disabled automation that holds no event does not claim one; it only must be able to.
    if (isEnabled || (await listBindings(query, account, [id])).has(id))
      await bindEvent(query, { automation: id, now }, plan.binding)
    else await requireFreeEvent(query, id, plan.binding)
    await updateVersion(query, draft.id, { position: await nextVersionPosition(query, id), published_at: now })
    await updateAutomationRow(query, id, {
      ...(options.name !== undefined && { name: options.name }),
      live_version: draft.id,
      draft_version: null,
      draft_note: null,
      status: isEnabled ? 'enabled' : 'disabled',
      key_id: options.key?.id ?? null,
      updated_at: now,
    })
    if (isEnabled)
      await activateTrigger(query, { account, automation: id, kind: plan.kind, trigger: plan.trigger, now })
    else await deactivateTrigger(query, id)
    return isEnabled
  })
}

/** The outcome of creating or replacing an automation. */
export type BuildResult = Omit<BuiltAutomation, 'webhook_url'> & {
  readonly isWebhook: boolean
  readonly publication: Publication
}

/** Whether and as what the definition was published. */
interface Publication {
  /** Whether the definition is live now. */
  readonly isPublished: boolean
  /** Id of the version that is live now. */
  readonly live: string | null
  /** Id of the test run; null when nothing was tested. */
  readonly run: string | null
}

/** Options of a changed definition. */
interface RepairOptions {
  /** Whether to enable the automation (default: a staged update does not change it, any other enables it). */
  readonly enabled?: boolean | undefined
  readonly name?: string | undefined
  /** Id of the live version the caller read. */
  readonly expected?: string | undefined
}

/** Creates and replaces automations: publishes the definition, tests it, and enables the automation if it passed. */
export function automationBuilder(deps: Deps) {
  const { connection, clock, vault } = deps

  return {
    /**
     * Creates an automation. @throws Failure `create_failed`, `import_failed`, `publish_failed`, `binding_conflict`;
     * nothing is stored then
     */
    async create(account: number, name: string, plan: BuildPlan, draft: FlowDraft): Promise<BuildResult> {
      await applyEngineFault(deps, 'create', 'automate.create_failed', { account, id: '' })
      const row = await connection.write({ account }, async (query) => {
        const now = await clock.now(query)
        const id = await newId(query, deps, 'automation', `${account} ${now}`)
        return insertAutomation(query, {
          id,
          account_id: account,
          name,
          status: 'disabled',
          live_version: null,
          draft_version: null,
          draft_note: null,
          cursor: null,
          key_id: draft.key?.id ?? null,
          created_at: now,
          updated_at: now,
        })
      })
      try {
        const version = await publish(row, await saveDraft(row, plan, null), plan)
        return await testAndEnable(row, version, plan, draft, { enabled: true })
      } catch (error) {
        // The caller received no id, so the incomplete automation is removed again.
        if (error instanceof Failure)
          await connection.write({ account }, async (query) => {
            await releaseAutomationSlots(query, row.id)
            await deleteAutomation(query, row.id)
          })
        throw error
      }
    },

    /** Replaces the definition. A refusal before the test changes nothing. @throws Failure as `create` */
    async repair(row: AutomationRow, plan: BuildPlan, draft: FlowDraft, options: RepairOptions): Promise<BuildResult> {
      const version = await publish(row, await saveDraft(row, plan, null), plan, options.expected)
      return testAndEnable(row, version, plan, draft, options)
    },

    /**
     * Tests the definition as a draft, and publishes it in one transaction when the test passes or its trigger cannot
     * be fired. Otherwise the live version, its state and its binding do not change, and the definition remains as the
     * draft.
     * @throws Failure as `create`, 409 `version_changed`
     */
    async stage(row: AutomationRow, plan: BuildPlan, draft: FlowDraft, options: RepairOptions): Promise<BuildResult> {
      const staged = await saveDraft(row, plan, null)
      const program = await compile(row, plan)
      await connection.write({ account: row.account_id }, (query) => updateVersion(query, staged.id, { program }))
      const version = { ...staged, program }
      const isTestable = isFiredByTest(plan.trigger)
      const tested = isTestable
        ? await testVersion(deps, version, await testPayload(row, plan, draft), draft.key)
        : notTested
      const publication = { run: tested.run, isPublished: true, live: version.id }
      if (hasPassed(tested)) {
        const isEnabled = await publishTested(deps, row, version, plan, { ...options, key: draft.key }).catch(
          (error: unknown) => recordDraftFailure(row, error),
        )
        return toBuildResult(version, tested, { isOn: isEnabled, isTestable }, publication)
      }
      const live = await connection.write({ account: row.account_id }, async (query) => {
        const now = await findAutomation(query, row.id)
        if (now?.draft_version === version.id)
          await updateAutomationRow(query, row.id, { draft_note: 'The test failed.' })
        return now?.live_version ?? null
      })
      return toBuildResult(version, tested, { isOn: false, isTestable }, { ...publication, isPublished: false, live })
    },
  }

  /** Stores a definition as the draft, replacing another draft. */
  async function saveDraft(row: AutomationRow, plan: BuildPlan, restoredFrom: string | null): Promise<VersionRow> {
    await applyEngineFault(deps, 'import', 'automate.import_failed', { account: row.account_id, id: row.id })
    return connection.write({ account: row.account_id }, async (query) => {
      const now = await clock.now(query)
      const version = await insertVersion(query, {
        id: await newId(query, deps, 'automation_version', `${row.id} ${now}`),
        account_id: row.account_id,
        automation_id: row.id,
        position: null,
        definition: sealDefinition(vault, row.account_id, plan.trigger),
        program: null,
        hash: hashJson(plan.trigger),
        trigger_kind: plan.kind,
        event: plan.binding?.event ?? null,
        assistant_id: plan.binding?.assistant ?? null,
        connections: stringifyJson(plan.connections),
        restored_from: restoredFrom,
        created_at: now,
        published_at: null,
      })
      await updateAutomationRow(query, row.id, { draft_version: version.id, draft_note: null })
      await deleteDrafts(query, row.id, version.id)
      return version
    })
  }

  /** Returns the stored program of a draft. */
  async function compile(row: AutomationRow, { kind, trigger }: BuildPlan): Promise<string> {
    const program = await compileProgram(deps, row, kind, trigger).catch((it: unknown) => recordDraftFailure(row, it))
    return sealDefinition(vault, row.account_id, program)
  }

  /** Makes the draft the live version and disables the automation. */
  async function publish(
    row: AutomationRow,
    draft: VersionRow,
    plan: BuildPlan,
    expected?: string,
  ): Promise<VersionRow> {
    const program = await compile(row, plan)
    await connection
      .write({ account: row.account_id }, async (query) => {
        const now = await clock.now(query)
        await requireCurrentDraft(query, row, draft, expected)
        await bindEvent(query, { automation: row.id, now }, plan.binding)
        await deactivateTrigger(query, row.id)
        await updateVersion(query, draft.id, {
          position: await nextVersionPosition(query, row.id),
          program,
          published_at: now,
        })
        await updateAutomationRow(query, row.id, {
          live_version: draft.id,
          draft_version: null,
          draft_note: null,
          status: 'disabled',
          updated_at: now,
        })
      })
      .catch((error: unknown) => recordDraftFailure(row, error))
    return requireValue(await findVersion(accountQuery(connection.read, row.account_id), draft.id))
  }

  /** Stores the reason of the refusal with the draft. */
  async function recordDraftFailure(row: AutomationRow, error: unknown): Promise<never> {
    if (error instanceof Failure)
      await connection.write({ account: row.account_id }, (query) =>
        updateAutomationRow(query, row.id, { draft_note: error.message }),
      )
    throw error
  }

  /** Tests the version, if possible, then enables or disables it; nothing changes if another one is live by then. */
  async function testAndEnable(
    row: AutomationRow,
    version: VersionRow,
    plan: BuildPlan,
    draft: FlowDraft,
    { enabled, name }: RepairOptions,
  ): Promise<BuildResult> {
    const isTestable = isFiredByTest(plan.trigger)
    const tested = isTestable
      ? await testVersion(deps, version, await testPayload(row, plan, draft), draft.key)
      : notTested
    const mayEnable = hasPassed(tested) && enabled !== false
    const live = await connection.write({ account: row.account_id }, async (query) => {
      const now = await clock.now(query)
      const current = await findAutomation(query, row.id)
      if (current?.live_version !== version.id) return current?.live_version ?? null
      if (mayEnable)
        await activateTrigger(query, {
          account: row.account_id,
          automation: row.id,
          kind: plan.kind,
          trigger: plan.trigger,
          now,
        })
      else await releaseAutomationSlots(query, row.id)
      await updateAutomationRow(query, row.id, {
        ...(name !== undefined && { name }),
        status: mayEnable ? 'enabled' : 'disabled',
        key_id: draft.key?.id ?? null,
        updated_at: now,
      })
      return version.id
    })
    const isPublished = live === version.id
    const state = { isOn: mayEnable && isPublished, isTestable }
    return toBuildResult(version, tested, state, { isPublished, live, run: tested.run })
  }

  /** Returns the test payload: the given sample, else the one sent to the test address, else generated data. */
  async function testPayload(
    { id, account_id }: AutomationRow,
    { kind, trigger, binding, assistant }: BuildPlan,
    { sample }: FlowDraft,
  ): Promise<unknown> {
    if (kind === 'call') return toCall(trigger, sample)
    const storedSample =
      sample === undefined && kind === 'webhook' && !binding
        ? await readAutomationValue(accountQuery(connection.read, account_id), valuesOwner('automation', id), 'sample')
        : undefined
    if (storedSample !== undefined) return parseJson(storedSample)
    const given =
      sample ?? (binding && assistant ? assistantEventSample(binding.event, assistant, await clock.now()) : {})
    return kind === 'webhook' ? toWebhookRequest(given) : given
  }
}

const hasPassed = ({ test }: TestOutcome): boolean => test.run_status !== 'FAILED' && test.run_status !== 'no_run'

function toBuildResult(
  version: VersionRow,
  tested: TestOutcome,
  { isOn: isEnabled, isTestable }: { isOn: boolean; isTestable: boolean },
  publication: Publication,
): BuildResult {
  const binding = versionBinding(version)
  const { test, response } = tested
  return {
    automation_id: version.automation_id,
    // `active` requires a trigger that the test could fire.
    status: !hasPassed(tested) ? 'test_failed' : !isEnabled ? 'disabled' : isTestable ? 'active' : 'active_untested',
    test,
    response,
    binding: binding && { type: binding.event, assistant_id: binding.assistant, bound: isEnabled },
    isWebhook: version.trigger_kind === 'webhook',
    publication,
  }
}

/** Compiles a definition for publishing. @throws Failure `automate.publish_failed` when no date matches its schedule */
export async function compileProgram(
  deps: Pick<Deps, 'connection' | 'clock'>,
  row: Pick<AutomationRow, 'id' | 'account_id'>,
  kind: BuildPlan['kind'],
  trigger: AutomationNode,
): Promise<AutomationNode> {
  await applyEngineFault(deps, 'publish', 'automate.publish_failed', { account: row.account_id, id: row.id })
  if (firstRunAt(kind, trigger, await deps.clock.now()) === undefined)
    throw new Failure('automate.publish_failed', {
      text: 'The automation could not be published: no date matches its schedule.',
    })
  return compileDefinition(trigger)
}

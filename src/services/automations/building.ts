import { contentHash, runnableOf } from '../../automation/definition/publish.ts'
import { requestOf } from '../../automation/triggers/samples.ts'
import type { AutomationNode } from '../../contract/automation-node.ts'
import type { BuiltAutomation } from '../../contract/automation-records.ts'
import { Failure } from '../../contract/errors.ts'
import { readValue } from '../../store/automation-values.ts'
import {
  type AutomationRow,
  changeAutomation,
  changeVersion,
  deleteAutomation,
  deleteDrafts,
  findAutomation,
  findVersion,
  insertAutomation,
  insertVersion,
  nextPosition,
  type VersionRow,
} from '../../store/automations.ts'
import { freeAutomationSlots } from '../../store/slots.ts'
import type { Deps } from '../deps.ts'
import { arm, disarm, firstTime } from './arming.ts'
import { bind, bindingOf } from './bindings.ts'
import { askEngine } from './engine.ts'
import { newId } from './ids.ts'
import type { FlowDraft, Plan } from './plan.ts'
import { publishTested, refuseOther } from './publishing.ts'
import { sampleFor } from './samples.ts'
import { type Tested, test, untested } from './testing.ts'

export type Built = Omit<BuiltAutomation, 'webhook_url'> & { readonly isWebhook: boolean; readonly publication: Publication }

export interface Publication {
  /** Whether the definition is live now. */
  readonly isPublished: boolean
  /** Id of the version that is live now. */
  readonly live: string | null
  /** Id of the test run; null when nothing was tested. */
  readonly run: string | null
}

export interface RepairOptions {
  /** Whether the automation is to be enabled; when undefined, a staged update keeps its state and any other enables it. */
  readonly enabled?: boolean | undefined
  readonly name?: string | undefined
  /** Id of the live version the caller read. */
  readonly expected?: string | undefined
}

/** From a plan to an automation that is live: created, published while it starts nothing, tested, and switched on where the test was good. */
export function builder(deps: Deps) {
  const { connection, clock } = deps

  return {
    /** @throws Failure `create_failed`, `import_failed`, `publish_failed`, `binding_conflict`: nothing is kept then */
    async create(account: number, name: string, plan: Plan, draft: FlowDraft): Promise<Built> {
      await askEngine(deps, 'create', 'automate.create_failed', { account, id: '' })
      const row = await connection.write(async (query) => {
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
          created_at: now,
          updated_at: now,
        })
      })
      try {
        const version = await publish(row, await draftOf(row, plan, null), plan)
        return await prove(row, version, plan, draft, { enabled: true })
      } catch (error) {
        // Whoever asked was given no id: what was begun is taken back.
        if (error instanceof Failure)
          await connection.write(async (query) => {
            await freeAutomationSlots(query, account, row.id)
            await deleteAutomation(query, row.id)
          })
        throw error
      }
    },

    /** Replaces the definition. What is refused before the test leaves what is live as it was. @throws Failure as above */
    async repair(row: AutomationRow, plan: Plan, draft: FlowDraft, options: RepairOptions): Promise<Built> {
      const version = await publish(row, await draftOf(row, plan, null), plan, options.expected)
      return prove(row, version, plan, draft, options)
    },

    /**
     * Tests the definition as a draft, and publishes it in one transaction when the test passes or its trigger cannot be fired. Otherwise the live version,
     * its state and its binding stay as they were, and the draft is kept.
     * @throws Failure as above, 409 `version_changed`
     */
    async stage(row: AutomationRow, plan: Plan, draft: FlowDraft, options: RepairOptions): Promise<Built> {
      const staged = await draftOf(row, plan, null)
      const program = JSON.stringify(await programFor(deps, row, plan.kind, plan.trigger).catch((error: unknown) => noted(row, error)))
      await connection.write((query) => changeVersion(query, staged.id, { program }))
      const version = { ...staged, program }
      const isTestable = testable(plan)
      const tested = isTestable ? await test(deps, version, await payloadFor(row, plan, draft)) : untested
      const publication = { run: tested.run, isPublished: true, live: version.id }
      if (isGood(tested)) {
        const isOn = await publishTested(deps, row, version, plan, options).catch((error: unknown) => noted(row, error))
        return builtOf(version, tested, { isOn, isTestable }, publication)
      }
      const live = await connection.write(async (query) => {
        const now = await findAutomation(query, row.account_id, row.id)
        if (now?.draft_version === version.id) await changeAutomation(query, row.id, { draft_note: 'Its test failed.' })
        return now?.live_version ?? null
      })
      return builtOf(version, tested, { isOn: false, isTestable }, { ...publication, isPublished: false, live })
    },
  }

  /** Keeps a definition as the draft, in place of another draft. */
  async function draftOf(row: AutomationRow, plan: Plan, restoredFrom: string | null): Promise<VersionRow> {
    await askEngine(deps, 'import', 'automate.import_failed', { account: row.account_id, id: row.id })
    return connection.write(async (query) => {
      const now = await clock.now(query)
      const version = await insertVersion(query, {
        id: await newId(query, deps, 'automation_version', `${row.id} ${now}`),
        account_id: row.account_id,
        automation_id: row.id,
        position: null,
        definition: JSON.stringify(plan.trigger),
        program: null,
        hash: contentHash(plan.trigger),
        trigger_kind: plan.kind,
        event: plan.binding?.event ?? null,
        assistant_id: plan.binding?.assistant ?? null,
        connections: JSON.stringify(plan.connections),
        restored_from: restoredFrom,
        created_at: now,
        published_at: null,
      })
      await changeAutomation(query, row.id, { draft_version: version.id, draft_note: null })
      await deleteDrafts(query, row.id, version.id)
      return version
    })
  }

  /** Makes the draft the live version while the automation starts nothing. */
  async function publish(row: AutomationRow, draft: VersionRow, plan: Plan, expected?: string): Promise<VersionRow> {
    const program = await programFor(deps, row, plan.kind, plan.trigger).catch((error: unknown) => noted(row, error))
    await connection
      .write(async (query) => {
        const now = await clock.now(query)
        await refuseOther(query, row, draft, expected)
        await bind(query, { account: row.account_id, automation: row.id, now }, plan.binding)
        await disarm(query, row.id)
        await changeVersion(query, draft.id, { position: await nextPosition(query, row.id), program: JSON.stringify(program), published_at: now })
        await changeAutomation(query, row.id, { live_version: draft.id, draft_version: null, draft_note: null, status: 'disabled', updated_at: now })
      })
      .catch((error: unknown) => noted(row, error))
    return (await findVersion(connection.read, draft.id)) as VersionRow
  }

  /** Says with the draft why it is one. */
  async function noted(row: AutomationRow, error: unknown): Promise<never> {
    if (error instanceof Failure) await connection.write((query) => changeAutomation(query, row.id, { draft_note: error.message }))
    throw error
  }

  /** Tests what is live, where that can be done on demand, and switches it on or leaves it off. */
  async function prove(row: AutomationRow, version: VersionRow, plan: Plan, draft: FlowDraft, { enabled, name }: RepairOptions): Promise<Built> {
    const isTestable = testable(plan)
    const tested = isTestable ? await test(deps, version, await payloadFor(row, plan, draft)) : untested
    const isOn = isGood(tested) && enabled !== false
    await connection.write(async (query) => {
      const now = await clock.now(query)
      if (isOn) await arm(query, { account: row.account_id, automation: row.id, kind: plan.kind, trigger: plan.trigger, now })
      else await freeAutomationSlots(query, row.account_id, row.id)
      await changeAutomation(query, row.id, { ...(name !== undefined && { name }), status: isOn ? 'enabled' : 'disabled', updated_at: now })
    })
    return builtOf(version, tested, { isOn, isTestable }, { isPublished: true, live: version.id, run: tested.run })
  }

  /** What is given, else what was sent to the webhook's test address, else what is made up. */
  async function payloadFor({ id, account_id }: AutomationRow, { kind, binding, assistant }: Plan, { sample }: FlowDraft): Promise<unknown> {
    const kept = sample === undefined && kind === 'webhook' && !binding ? await readValue(connection.read, account_id, `automation:${id}`, 'sample') : undefined
    if (kept !== undefined) return JSON.parse(kept)
    const given = sample ?? (binding && assistant ? sampleFor(binding.event, assistant, await clock.now()) : {})
    return kind === 'webhook' ? requestOf(given) : given
  }
}

/** Whether its trigger can be fired on demand. */
const testable = ({ kind }: Plan): boolean => kind === 'webhook' || kind === 'event'

const isGood = ({ test }: Tested): boolean => test.run_status !== 'FAILED' && test.run_status !== 'no_run'

function builtOf(version: VersionRow, tested: Tested, { isOn, isTestable }: { isOn: boolean; isTestable: boolean }, publication: Publication): Built {
  const binding = bindingOf(version)
  const { test, response } = tested
  return {
    automation_id: version.automation_id,
    // Only what can fire is active.
    status: !isGood(tested) ? 'test_failed' : !isOn ? 'disabled' : isTestable ? 'active' : 'active_untested',
    test,
    response,
    binding: binding && { type: binding.event, assistant_id: binding.assistant, bound: isOn },
    isWebhook: version.trigger_kind === 'webhook',
    publication,
  }
}

/** What publishing makes of a definition. @throws Failure `automate.publish_failed` when it can never be started */
export async function programFor(
  deps: Pick<Deps, 'connection' | 'clock'>,
  row: Pick<AutomationRow, 'id' | 'account_id'>,
  kind: Plan['kind'],
  trigger: AutomationNode,
): Promise<AutomationNode> {
  await askEngine(deps, 'publish', 'automate.publish_failed', { account: row.account_id, id: row.id })
  if (firstTime(kind, trigger, await deps.clock.now()) === undefined)
    throw new Failure('automate.publish_failed', { text: 'The automation could not be published: its schedule never comes.' })
  return runnableOf(trigger)
}

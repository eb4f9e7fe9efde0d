import type { AutomationNode } from '../../contract/automations/automation-node.ts'
import { invalidField } from '../../contract/errors/failures.ts'
import { mapReference } from '../../contract/references/reference-paths.ts'
import { idReferencesIn, isResourceName } from '../../contract/references/step-references.ts'
import { contentHash } from '../../flow/definition/compile-definition.ts'
import { stringifyJson } from '../../node/json.ts'
import { assertConnections } from '../../services/automations/ports/connection-service.ts'
import { bindEvent } from '../../services/automations/publishing/event-bindings.ts'
import { sealDefinition } from '../../services/automations/publishing/sealed-definitions.ts'
import { activateTrigger } from '../../services/automations/triggers/trigger-activation.ts'
import { insertVersion } from '../../store/automations/automation-versions.ts'
import { insertAutomation, isIdTaken } from '../../store/automations/automations.ts'
import { type Loading, loadEach } from './loading.ts'
import type { PreparedAutomation } from './prepare-automations.ts'

/** Length of the id of an automation and of a version. */
const idLength = 21

/** Loads the automations of an account. They are published without a test run. */
export async function loadAutomations(loading: Loading): Promise<void> {
  const { query, account, vault, secrets } = loading
  await loadEach(loading, 'automations', async ({ entry, name, body, record, createdAt, updatedAt }) => {
    const prepared = loading.automations.get(entry.place) as PreparedAutomation
    const id = typeof record.id === 'string' ? record.id : secrets(`automation ${account.id} ${name}`, idLength)
    if (await isIdTaken(query, 'automation', id)) throw invalidField('id', 'Another automation has this id.')
    const definition = resolveSteps(loading, prepared.definition)
    const { kind, event, connections } = prepared
    const assistant = event && (body.assistant_id ?? triggerAssistant(definition))
    if (event && !assistant) throw invalidField('assistant_id', 'The trigger needs an assistant.')
    const isEnabled = record.enabled === true
    await assertConnections(query, account.id, connections)
    const live = secrets(`version ${id} 0`, idLength)
    await insertAutomation(query, {
      id,
      account_id: account.id,
      name: String(body.name),
      status: isEnabled ? 'enabled' : 'disabled',
      live_version: live,
      draft_version: null,
      draft_note: null,
      cursor: null,
      created_at: createdAt,
      updated_at: updatedAt,
    })
    await insertVersion(query, {
      id: live,
      account_id: account.id,
      automation_id: id,
      position: 1,
      definition: sealDefinition(vault, account.id, definition),
      program: sealDefinition(vault, account.id, resolveSteps(loading, prepared.program)),
      hash: contentHash(definition),
      trigger_kind: kind,
      event: event ?? null,
      assistant_id: event ? Number(assistant) : null,
      connections: stringifyJson(connections),
      restored_from: null,
      created_at: createdAt,
      published_at: createdAt,
    })
    if (isEnabled) {
      const binding = event ? { event, assistant: Number(assistant) } : null
      await bindEvent(query, { account: account.id, automation: id, now: createdAt }, binding)
      await activateTrigger(query, { account: account.id, automation: id, kind, trigger: definition, now: loading.now })
    }
    return id
  })
}

const triggerAssistant = ({ settings }: AutomationNode): unknown =>
  (settings as { readonly input?: { readonly assistant?: unknown } } | undefined)?.input?.assistant

/** Replaces the names in the steps of a definition by ids. @throws Failure 422 for a name that the account lacks */
function resolveSteps({ data }: Loading, definition: AutomationNode): AutomationNode {
  return idReferencesIn(definition, '').reduce((tree, { path, to }) => {
    const reference = { path: path.slice(1), to }
    return mapReference(tree, reference, (value) => {
      if (!isResourceName(value)) return value
      const found = data.names.find(reference, value, {})
      if ('problem' in found) throw invalidField(`flow.${reference.path}`, found.problem)
      return found.id
    })
  }, definition)
}

import { shellQuote } from '../client/requests/shell-quote.ts'
import type { Endpoint } from '../contract/endpoint/endpoint.ts'
import { stringifyJson } from '../node/json.ts'

/** Words of the command of an endpoint, with the field that is its argument; null if there is none. */
type CommandWords = readonly [words: string, argument?: string] | null

/**
 * Commands whose words do not follow from the name of the endpoint. A test compares the words with the commands of the tree. Flags are
 * the kebab case of fields, as those that commands derive from an endpoint: a flag of another name has to be listed here.
 */
const special: Readonly<Record<string, CommandWords>> = {
  'user.me': ['whoami'],
  'user.activity': ['stop'],
  // Its command names a kind and an id or a name.
  'user.references': null,
  'user.stop': ['stop'],
  'user.resume': ['resume'],
  'conversations.create': ['conversations start'],
  // It takes a file, which a request does not name.
  'leads.createBatch': null,
  // Their arguments are numbers, and a request may have a channel for each.
  'contacts.block': null,
  'contacts.unblock': null,
  'contacts.cancelWaiting': ['contacts cancel-waiting', 'waiting_id'],
  'contacts.sendWaiting': ['contacts send-waiting', 'waiting_id'],
  'messaging.sendFreeform': ['messaging send'],
  'messaging.listAssignments': ['messaging assignments'],
  'messaging.updateAssignment': ['messaging assign'],
  'automate.listDefinitions': null,
  'automate.versions': ['automate versions list'],
  'automate.version': ['automate versions get'],
  'automate.restoreVersion': ['automate restore'],
  'automate.runs': ['automate runs list'],
  'automate.listRuns': ['automate runs list'],
  'automate.getRun': ['automate runs get'],
  'keys.scopes': ['keys list'],
  'approvals.list': ['ops list'],
  'approvals.get': ['ops get', 'id'],
  'approvals.decide': null,
  'approvals.create': null,
  'approvals.start': ['ops run', 'id'],
  'approvals.recordRequest': null,
  'approvals.end': null,
  'automate.cancelRun': ['automate runs cancel'],
  'automate.rerun': ['automate runs rerun'],
  'knowledge.listDocuments': ['knowledge documents list'],
  'knowledge.getDocument': ['knowledge documents get'],
  'knowledge.createDocument': ['knowledge documents create'],
  'knowledge.updateDocument': ['knowledge documents update'],
  'knowledge.deleteDocument': ['knowledge documents delete'],
  'clock.show': ['server clock get'],
  'clock.advance': ['server clock advance', 'by'],
  'clock.until': ['server clock until', 'what'],
  'faults.add': ['server faults create', 'endpoint'],
  'faults.remove': ['server faults delete'],
  'connections.add': ['server connections create'],
  'connections.remove': ['server connections delete'],
  'deliveries.show': ['server deliveries get'],
  'deliveries.replay': ['server deliveries replay', 'id'],
  'events.list': ['events list'],
  'events.fire': ['events fire', 'kind'],
  'events.listen': ['events listen'],
  'requests.list': ['server requests'],
  'nodes.list': ['server nodes'],
  'nodes.drain': ['server drain'],
  'mails.list': ['server mail list'],
  'snapshots.list': ['server snapshot list'],
  'snapshots.compare': ['server snapshot compare'],
  'snapshots.save': ['server snapshot save', 'name'],
  'snapshots.restore': ['server snapshot restore'],
  'snapshots.delete': ['server snapshot delete'],
  'platform.recount': ['server check'],
  'platform.drain': null,
  'accounts.senders': null,
  'turns.follow': null,
  'webhooks.rotate': ['server webhooks secret'],
  'inspector.login': ['ui'],
  'inspector.timeline': null,
  'inspector.due': null,
  'inspector.overview': null,
}

/** Commands for what only the inspector lists. */
const pageCommands: Readonly<Record<string, string>> = {
  'inspector.timeline': 'parley open timeline',
  'inspector.due': 'parley open clock',
  'inspector.overview': 'parley open overview',
}

/** Flags of commands for the field `number` of a path, by endpoint. */
const versionFlag: Readonly<Record<string, string>> = { 'automate.restoreVersion': '--to' }

/** Query fields of pages, which commands count in items (`--limit`), so that a command without them lists the same. */
const pageFields = new Set(['page', 'per_page', 'limit', 'after', 'before', 'cursor'])

/** Fields that commands fill from what they read. */
const ownFields = new Set(['stopped_at'])

const kebab = (name: string): string => name.replaceAll('_', '-').replaceAll(/[A-Z]/g, (it) => `-${it.toLowerCase()}`)

/** Returns the words of the command of an endpoint; null if it has none. */
export function commandWords({ name, auth }: Pick<Endpoint, 'name' | 'auth'>): CommandWords {
  if (Object.hasOwn(special, name)) return special[name] as CommandWords
  const [resource = '', verb = ''] = name.split('.').map(kebab)
  if (auth === 'control') return resource === 'platform' ? [`server ${verb}`] : [`server ${resource} ${verb}`]
  return hasOwnCommand(name) ? [`${resource} ${verb}`] : [`api ${name}`]
}

/** Endpoints that several commands or flags share. `parley api` calls them by name. */
const hasOwnCommand = (name: string): boolean =>
  !/^assistants\.(?:setStatus|enable|disable)|^campaigns\.updateStatus/.test(name)

/** Returns the command line that does the same as a request; null if there is none. */
export function equivalentCommand(
  endpoint: Endpoint,
  params: Readonly<Record<string, string>>,
  query: URLSearchParams,
  input: Readonly<Record<string, unknown>>,
): string | null {
  const words = commandWords(endpoint)
  if (words === null) return pageCommands[endpoint.name] ?? null
  const [path, argument] = words
  const searched = [...query].filter(([name]) => !pageFields.has(name))
  if (path.startsWith('api ')) {
    const data = { ...params, ...Object.fromEntries(searched), ...input }
    return `parley ${path}${Object.keys(data).length > 0 ? ` --data ${shellQuote(stringifyJson(data))}` : ''}`
  }
  const parts = ['parley', path]
  for (const [name, value] of Object.entries(params)) {
    if (name === 'account') parts.push('--account', shellQuote(value))
    else if (name === 'number' && versionFlag[endpoint.name])
      parts.push(versionFlag[endpoint.name] as string, shellQuote(value))
    else parts.push(shellQuote(value))
  }
  const { [argument ?? '']: positional, ...rest } = { ...Object.fromEntries(searched), ...input }
  if (positional !== undefined) parts.push(shellQuote(String(positional)))
  const fields = Object.entries(rest).filter(
    ([name, value]) => value !== null && value !== false && !ownFields.has(name),
  )
  if (fields.some(([, value]) => typeof value === 'object')) parts.push('--data', shellQuote(stringifyJson(rest)))
  else
    for (const [name, value] of fields) {
      parts.push(`--${kebab(name)}`)
      if (value !== true) parts.push(shellQuote(String(value)))
    }
  return parts.join(' ')
}

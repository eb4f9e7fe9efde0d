/**
 * Pages of the inspector in the order of the navigation. The letter after `g` opens a page. The names are those of
 * `inspectorPages` (inspector/backend.ts), and are in links that people keep: they never change.
 */
export const pages = [
  { name: 'overview', title: 'Overview', key: 'o' },
  { name: 'timeline', title: 'Timeline', key: 't' },
  { name: 'conversations', title: 'Conversations', key: 'v' },
  { name: 'calls', title: 'Calls', key: 'c' },
  { name: 'automations', title: 'Automations', key: 'a' },
  { name: 'deliveries', title: 'Deliveries', key: 'd' },
  { name: 'messaging', title: 'Campaigns and messaging', key: 'm' },
  { name: 'numbers', title: 'Numbers and billing', key: 'n' },
  { name: 'approvals', title: 'Approvals', key: 'p' },
  { name: 'clock', title: 'Clock', key: 'k' },
  { name: 'faults', title: 'Faults and snapshots', key: 'f' },
] as const

export type PageName = (typeof pages)[number]['name']

/** Address inside the inspector: `/_parley/automations/<id>/runs/<run>?search=x`. */
export interface Route {
  readonly page: string
  /** Decoded parts of the path after the page. */
  readonly parts: readonly string[]
  readonly query: Readonly<Record<string, string>>
}

/** Where the inspector is (inspector.ts). `parley ui` and terminal-notes.ts of the command line open addresses below it. */
export const root = '/_parley/'

const decode = (part: string): string => {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** Parses the path and query of an address. The root is the overview. */
export function parseRoute(pathname: string, search = ''): Route {
  const path = pathname.startsWith(root) ? pathname.slice(root.length) : ''
  const [page, ...parts] = path.split('/').filter(Boolean).map(decode)
  return { page: page ?? 'overview', parts, query: Object.fromEntries(new URLSearchParams(search)) }
}

/** Returns the address of a page. Query values that are empty are left out. */
export function routePath(
  page: string,
  parts: readonly (string | number)[] = [],
  query: Readonly<Record<string, string>> = {},
): string {
  const path = root + [page, ...parts].map((it) => encodeURIComponent(it)).join('/')
  const search = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== '')).toString()
  return search ? `${path}?${search}` : path
}

/** Pages by the nouns that entries and findings of the server name, in the singular or plural. Other nouns have no link. */
const pageOfNoun: Readonly<Record<string, readonly string[]>> = {
  automation: ['automations'],
  automate: ['automations'],
  conversation: ['conversations'],
  call: ['calls'],
  delivery: ['deliveries'],
  number: ['numbers'],
  campaign: ['messaging'],
  run: ['automations', 'runs'],
  sender: ['messaging', 'templates'],
}

/** Returns the address of a resource; null if no page shows it. */
export function resourcePath(noun: string, id: string | number): string | null {
  const [page, ...parts] = pageOfNoun[noun] ?? pageOfNoun[noun.replace(/s$/, '')] ?? []
  return page === undefined ? null : routePath(page, [...parts, id])
}

/** Returns the address of all entries of a phone number. */
export const phonePath = (phone: string): string => routePath('timeline', [], { search: phone })

/** Returns where a text leads: the conversation that it names; null if it names none. */
export function conversationPath(text: string): string | null {
  const id = /[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/.exec(text)?.[0]
  return id === undefined ? null : routePath('conversations', [id])
}

/** Returns the phone number in a text; undefined without one. */
export const phoneIn = (text: string): string | undefined => /\+\d{6,15}/.exec(text)?.[0]

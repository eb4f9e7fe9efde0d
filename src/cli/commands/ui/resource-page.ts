import { closestMatch } from '../../commandline/closest-match.ts'
import { usageError } from '../../errors/usage-error.ts'
import { nounAliases } from '../../resources/noun-aliases.ts'

/** Pages of the inspector, each with the nouns whose resources it shows. */
const pages: Readonly<Record<string, readonly string[]>> = {
  overview: [],
  timeline: [],
  conversations: ['conversations', ...nounAliases.conversations],
  calls: ['calls', ...nounAliases.calls],
  automations: ['automate', ...nounAliases.automate],
  deliveries: ['deliveries', 'delivery'],
  messaging: ['campaigns', ...nounAliases.campaigns],
  numbers: ['numbers', ...nounAliases.numbers],
  clock: [],
  faults: [],
}

/**
 * Returns the path of a page of the inspector: its name, or a noun and an id. @throws ClientFailure `usage` for an
 * unknown page
 */
export function resourcePage(words: string): string {
  const [noun = '', ...rest] = words.trim().split(/\s+/)
  const page = Object.keys(pages).find((it) => it === noun || pages[it]?.includes(noun))
  if (page === undefined) {
    const names = [...Object.keys(pages), ...Object.values(pages).flat()]
    const close = closestMatch(noun, names)
    throw usageError(
      `The inspector has no page for "${noun}".${close === undefined ? '' : ` Did you mean "${close}"?`}`,
      `Pages: ${Object.keys(pages).join(', ')}.`,
    )
  }
  const [id, extra] = rest
  if (extra !== undefined || (id !== undefined && !/^[\w.:-]{1,100}$/.test(id)))
    throw usageError(`Invalid id "${rest.join(' ')}".`, `Pass one id: parley open ${noun} 7.`)
  if (id !== undefined && pages[page]?.length === 0)
    throw usageError(`The page ${page} has no resources.`, `Open the page: parley open ${page}.`)
  return `/_parley/${page}${id === undefined ? '' : `/${id}`}`
}

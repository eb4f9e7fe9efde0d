import type { HttpPort, HttpReply } from '../../automation/ports.ts'
import type { ReadPage, WebsiteSource } from '../../services/ports.ts'
import { readPage, Unreadable } from './pages.ts'

/** Milliseconds a page may take. A document as a whole has what its signal gives it. */
const patience = 8000
/** Characters of a document, of all its pages together. */
export const mostText = 400_000

/** The same page whichever part of it is meant. */
const plain = (url: URL): string => `${url.origin}${url.pathname}${url.search}`

/** A page and where it leads on its own server. @throws Unreadable, StepFailure */
async function fetched(http: HttpPort, address: string, signal: AbortSignal): Promise<ReadPage & { readonly links: readonly string[] }> {
  const headers = { accept: 'text/html, text/plain, text/markdown, application/json;q=0.9', 'user-agent': 'parley-reader' }
  const { status, headers: told, body, url: from = address } = await http.send({ method: 'GET', url: address, headers, timeout: patience }, signal)
  if (status < 200 || status > 299) throw new Unreadable(`${new URL(address).host} answered ${status}.`, isPassing(status))
  const { title, text, links } = readPage(told['content-type'] ?? '', body)
  const own = links.flatMap((it) => (URL.canParse(it, from) ? [new URL(it, from)] : [])).filter((it) => it.origin === new URL(from).origin)
  return { address: from, title, text, links: own.map(plain) }
}

const isPassing = (status: HttpReply['status']): boolean => status === 408 || status === 429 || status >= 500

const reasonOf = (error: unknown): { reason: string; again: boolean } => {
  const { message, again, retriable } = error as Error & { again?: boolean; retriable?: boolean }
  return { reason: message, again: again ?? retriable ?? false }
}

/**
 * The pages of a website: those that are named, or what stands at its address and the pages of the same server it leads to, nearest first. The named ones
 * must all be readable; one that is only led to may be missing. What was read when the signal ends it is what there is.
 */
export async function readWebsite(http: HttpPort, { url, links = [], limit }: WebsiteSource, signal: AbortSignal) {
  const pages: ReadPage[] = []
  let size = 0
  const keep = ({ address, title, text }: ReadPage): void => {
    const fitting = text.slice(0, Math.max(0, mostText - size))
    size += fitting.length
    if (fitting !== '') pages.push({ address, title, text: fitting })
  }
  try {
    const queue: string[] = []
    for (const address of [...(url === undefined ? [] : [url]), ...links]) {
      const { links: further, ...page } = await fetched(http, address, signal)
      keep(page)
      if (address === url) queue.push(...further)
    }
    const known = new Set([url, ...links].filter((it) => it !== undefined).map((it) => plain(new URL(it))))
    for (let followed = 0; followed < limit && size < mostText && !signal.aborted; ) {
      const next = queue.shift()
      if (next === undefined) break
      if (known.has(next)) continue
      known.add(next)
      followed += 1
      const page = await fetched(http, next, signal).catch(() => undefined)
      if (page) {
        keep(page)
        queue.push(...page.links)
      }
    }
  } catch (error) {
    const { reason, again } = signal.aborted ? { reason: 'The website took too long.', again: true } : reasonOf(error)
    return { ok: false, reason, again } as const
  }
  return pages.length > 0 ? ({ ok: true, pages } as const) : ({ ok: false, reason: 'There is no text on it.', again: false } as const)
}

import type { HttpPort, WebPage, WebsiteReader, WebsiteSource } from '../../../engine/ports.ts'
import { type FaultInjector, withFaultInjection } from '../local/fault-injection.ts'
import { unreadableHost } from '../local/test-numbers.ts'

/** The available website readers: values of `--reader` and PARLEY_READER, which never change. */
export type ReaderName = 'local' | 'http'

/** The name of the reader is invalid. */
export class InvalidReaderError extends Error {
  readonly exit = 'usage'
  override readonly name = 'InvalidReaderError'
}

/** Validates the name of a reader. @throws InvalidReaderError */
export function requireReader(name: string | undefined): void {
  if (name !== undefined && name !== 'local' && name !== 'http')
    throw new InvalidReaderError(`Invalid reader "${name}". Use local or http (--reader, PARLEY_READER).`)
}

/** Options of the website reader. */
export interface ReaderOptions {
  readonly gate?: FaultInjector | undefined
  /** The HTTP client for websites. Without it, content is generated from URLs. */
  readonly http?: (() => Promise<HttpPort>) | undefined
}

const hostOf = (address: string): string => (URL.canParse(address) ? new URL(address).hostname : '')

const sourceUrls = ({ url, links = [] }: WebsiteSource): readonly string[] => [
  ...(url === undefined ? [] : [url]),
  ...links,
]

/** Returns whether a URL has a reserved example host, which does not exist. */
const isExample = (address: string): boolean => /(^|\.)example$/.test(hostOf(address))

const toPhrase = (text: string): string =>
  text
    .replace(/\.[a-z0-9]{1,5}$/i, '')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((it) => it !== '')
    .join(' ')

function decodePath(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Returns a page generated from its URL. */
function generatePage(address: string): WebPage {
  const { hostname, pathname } = new URL(address)
  const about = pathname.split('/').flatMap((it) => toPhrase(decodePath(it)) || [])
  const site = toPhrase(hostname.replace(/^www\./, '').replace(/\.[a-z]+$/, ''))
  const title = about.at(-1) ?? site
  return {
    address,
    title,
    text: `A page of ${site} about ${about.length > 0 ? about.join(', ') : 'itself'}. Simulated content: the local reader does not fetch websites.`,
  }
}

/**
 * Creates a website reader. Without `http` all content is generated from URLs, and websites of one host fail. With
 * `http` only content of example hosts is generated.
 */
export const createReader = ({ gate, http }: ReaderOptions): WebsiteReader => ({
  name: http ? 'http' : 'local',
  description: http
    ? 'Fetches websites over HTTP. Content of example hosts is simulated from the URL.'
    : `Simulates websites: page content is generated from the URL, and nothing is fetched. Websites on ${unreadableHost} fail.`,

  isRemote: (source) => http !== undefined && !sourceUrls(source).every(isExample),

  read: (source, signal) =>
    withFaultInjection(gate, 'reader.read', async () => {
      if (sourceUrls(source).some((it) => hostOf(it) === unreadableHost))
        return { ok: false, reason: 'The website could not be read.' }
      if (!http || sourceUrls(source).every(isExample)) return { ok: true, pages: sourceUrls(source).map(generatePage) }
      const { readWebsite } = await import('./read-website.ts')
      return readWebsite(await http(), source, signal)
    }),
})

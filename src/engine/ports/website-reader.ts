import type { Provider } from './provider.ts'

/** The source of a document in a knowledge base: a website, or single pages. */
export interface WebsiteSource {
  readonly url?: string | undefined
  readonly links?: readonly string[] | undefined
  /** Maximum linked pages to follow. */
  readonly limit: number
}

/** A page that was read. */
export interface WebPage {
  readonly address: string
  readonly title: string | null
  readonly text: string
}

/** Fetches websites and converts them to text. It changes nothing outside and can be repeated. */
export interface WebsiteReader extends Provider {
  /** Returns whether reading the source makes network requests, which take a while. */
  isRemote(source: WebsiteSource): boolean
  /** Reads a website. `again` marks a temporary failure. */
  read(
    source: WebsiteSource,
    signal: AbortSignal,
  ): Promise<
    | { readonly ok: true; readonly pages: readonly WebPage[] }
    | { readonly ok: false; readonly reason: string; readonly again?: boolean }
  >
}

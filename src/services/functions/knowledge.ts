import type { Query } from '../../store/connection.ts'
import { findBase, listDocuments } from '../../store/knowledge.ts'
import type { TurnFunction, WebsiteSource } from '../ports.ts'
import { toJsonSchema, typedArguments } from './parameters.ts'
import { failed } from './results.ts'

/** What a knowledge base knows, a document each. */
export interface Passage {
  readonly document: string
  readonly text: string
  readonly source: string
}

/** Characters of knowledge in a prompt. */
const mostInPrompt = 24_000
/** Passages a search finds. */
const mostFound = 5

/** The documents of a base that were taken in, with what is known of each: what it is said to hold, and where it is from. */
export async function passagesOf(query: Query, account: number, base: number): Promise<Passage[]> {
  const found = await findBase(query, account, base)
  if (!found) return []
  const documents = (await listDocuments(query, account, base)).filter((it) => it.status === 'active')
  return documents.map(({ name, description, source }) => ({ document: name, text: description ?? '', source: addressesOf(JSON.parse(source)).join(' ') }))
}

const addressesOf = ({ url, links = [] }: WebsiteSource): readonly string[] => [...(url === undefined ? [] : [url]), ...links]

/** Knowledge as a part of the instructions; empty where there is none. */
export function knowledgeText(passages: readonly Passage[]): string {
  const lines = passages.map(({ document, text, source }) => `- ${[document, text, source].filter(Boolean).join(': ')}`)
  let size = 0
  const fitting = lines.filter((it) => {
    size += it.length
    return size <= mostInPrompt
  })
  return fitting.length === 0 ? '' : `What you know, document by document:\n${fitting.join('\n')}`
}

const parameters = [{ name: 'query', type: 'string', description: 'What to look for, in a few words', required: true }]

const idle = new Set(['and', 'are', 'das', 'der', 'des', 'die', 'for', 'les', 'los', 'the', 'und', 'was', 'what', 'when', 'where', 'with', 'you', 'your'])

const wordsOf = (text: string): ReadonlySet<string> =>
  new Set(
    text
      .toLowerCase()
      .split(/[^\p{L}\p{N}]+/u)
      .filter((it) => it.length > 2 && !idle.has(it)),
  )

/** Searching the knowledge base as a function: the documents with most of the words, the best first. */
export const knowledgeSearch = (passages: readonly Passage[], about: string | null): TurnFunction => ({
  name: 'search_knowledge_base',
  description: `Search the knowledge base before answering a question it may know something of.${about ? ` It holds: ${about}` : ''}`,
  parameters: toJsonSchema(parameters),
  async run(given) {
    try {
      const { query } = typedArguments(parameters, given) as { query: string }
      const wanted = [...wordsOf(query)]
      const scored = passages.map((it) => {
        const words = [...wordsOf(`${it.document} ${it.text} ${it.source}`)]
        // A word and its plural are the same to whoever looks.
        return { it, score: wanted.filter((word) => words.some((own) => own === word || own === `${word}s` || `${own}s` === word)).length }
      })
      const found = scored.filter(({ score }) => score > 0).sort((a, b) => b.score - a.score)
      return { results: found.slice(0, mostFound).map(({ it }) => it) }
    } catch (error) {
      return failed(error)
    }
  },
})

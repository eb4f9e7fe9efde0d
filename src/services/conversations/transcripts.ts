import { type Micros, toIsoMillis } from '../../jobs/clock.ts'
import type { TranscriptLine } from '../../providers/ports/providers.ts'

const speakers = { user: 'Customer', assistant: 'AI', system: 'System' } as const

/** The transcript for people: a line each, `AI:` or `Customer:`. */
export const formatTranscript = (lines: readonly Pick<TranscriptLine, 'role' | 'content'>[]): string =>
  lines.map(({ role, content }) => `${speakers[role]}: ${content}`).join('\n')

/** The transcript of a conversation as webhooks have it (facts 3.1). */
export const toConversationTranscript = (lines: readonly TranscriptLine[]) =>
  lines.map(({ role, content, at }) => ({
    role,
    content,
    timestamp: toIsoMillis(at),
    timestamp_unix: Math.floor(at / 1e6),
  }))

/** The transcript of a call as webhooks have it (facts 3.2). */
export const toCallTranscript = (lines: readonly TranscriptLine[]) =>
  lines.map(({ role, content, at }) => ({
    sender: role === 'user' ? 'human' : 'bot',
    type: 'transcript',
    text: content,
    timestamp: at / 1e6,
  }))

/** The turns of a transcript of which only the text is known; all were said at its beginning. */
export const parseTranscript = (text: string | null, at: Micros): TranscriptLine[] =>
  (text ?? '')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [, speaker, content] = /^(AI|Customer|System): (.*)$/s.exec(line) ?? []
      const role = speaker === 'Customer' ? 'user' : speaker === 'System' ? 'system' : 'assistant'
      return { role, content: content ?? line, at }
    })

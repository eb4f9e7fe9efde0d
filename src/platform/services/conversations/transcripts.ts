import { type Micros, toIsoMillis } from '../../../contract/values/micros.ts'
import type { TranscriptLine } from '../../../engine/ports.ts'

/** Names of speakers in texts of transcripts. Calls are stored with them, and receivers of webhooks read them: they never change. */
const speakers = { user: 'Customer', assistant: 'AI', system: 'System' } as const

/**
 * Returns a transcript for display: one line per message, with `AI:` or `Customer:` in front. The page of the inspector
 * and `calls to-test` read the speakers from it again.
 */
export const formatTranscript = (lines: readonly Pick<TranscriptLine, 'role' | 'content'>[]): string =>
  lines.map(({ role, content }) => `${speakers[role]}: ${content}`).join('\n')

/** Returns the transcript of a conversation in the form of webhook payloads (facts 3.1). */
export const toConversationTranscript = (lines: readonly TranscriptLine[]) =>
  lines.map(({ role, content, at }) => ({
    role,
    content,
    timestamp: toIsoMillis(at),
    timestamp_unix: Math.floor(at / 1e6),
  }))

/** Returns the transcript of a call in the form of webhook payloads (facts 3.2). */
export const toCallTranscript = (lines: readonly TranscriptLine[]) =>
  lines.map(({ role, content, at }) => ({
    sender: role === 'user' ? 'human' : 'bot',
    type: 'transcript',
    text: content,
    timestamp: at / 1e6,
  }))

/** Parses a transcript of which only the text is known. All lines get the same time. */
export const parseTranscript = (text: string | null, at: Micros): TranscriptLine[] =>
  (text ?? '')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [, speaker, content] = /^(AI|Customer|System): (.*)$/s.exec(line) ?? []
      const role = speaker === 'Customer' ? 'user' : speaker === 'System' ? 'system' : 'assistant'
      return { role, content: content ?? line, at }
    })

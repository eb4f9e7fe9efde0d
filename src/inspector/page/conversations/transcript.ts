/** One utterance of a conversation or call. */
export interface Turn {
  readonly role: 'assistant' | 'user'
  readonly text: string
}

/**
 * Parses the transcript of a call: lines that start with `AI:` or `Customer:`. A line without a speaker continues the
 * turn before it. The platform writes them in `formatTranscript` (transcripts.ts); other deployments have other words for
 * the speakers.
 */
export function parseTranscript(transcript: string | null): Turn[] {
  const turns: { role: Turn['role']; text: string }[] = []
  for (const line of (transcript ?? '').split('\n')) {
    const [, speaker, text = ''] = /^(AI|Assistant|Bot|Customer|User|Human|Caller):\s?(.*)$/i.exec(line) ?? []
    const last = turns.at(-1)
    if (speaker !== undefined) turns.push({ role: /^(AI|Assistant|Bot)$/i.test(speaker) ? 'assistant' : 'user', text })
    else if (last) last.text += `\n${line}`
    else if (line.trim() !== '') turns.push({ role: 'assistant', text: line })
  }
  return turns
}

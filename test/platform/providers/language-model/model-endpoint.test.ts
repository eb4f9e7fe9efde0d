import { expect, test } from 'vitest'
import { parseEvents } from '../../../../src/platform/providers/language-model/model-endpoint.ts'

const events = async (text: string, size: number): Promise<string[]> => {
  const bytes = new TextEncoder().encode(text)
  async function* pieces(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += size) yield bytes.slice(at, at + size)
  }
  const found = []
  for await (const event of parseEvents(pieces())) found.push(event)
  return found
}

test.each([1, 2, 3, 5, 1000])(
  'events are read from pieces of %d bytes, also where a piece ends within a character',
  async (size) => {
    const text = 'data: Grüße 🦷\n\ndata:two\ndata: lines\r\n\r\n: comment\n\ndata: [DONE]\n\n'
    expect(await events(text, size)).toEqual(['Grüße 🦷', 'two\nlines', '[DONE]'])
  },
)

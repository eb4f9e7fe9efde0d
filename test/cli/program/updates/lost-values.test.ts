import { expect, test } from 'vitest'
import { lostValueLines } from '../../../../src/cli/program/updates/text-difference.ts'

test('a value that is overwritten is printed in full, a long text as a difference, and a secret is only named', () => {
  expect(lostValueLines({ path: 'book.yaml: timeout', lost: 25, replacement: undefined })).toEqual([
    'book.yaml: timeout: 25 becomes not set',
  ])
  const [text, other] = ['Line\n'.repeat(500), `${'Line\n'.repeat(499)}Changed\n`]
  expect(lostValueLines({ path: 'desk.yaml: system_prompt', lost: text, replacement: other })).toEqual([
    'desk.yaml: system_prompt:',
    '  - Line',
    '  + Changed',
  ])
  const header = (value: string) => [{ name: 'Authorization', value }]
  for (const lines of [
    lostValueLines({
      path: 'book.yaml: headers',
      lost: header('Bearer first-key'),
      replacement: header('Bearer second-key'),
    }),
    lostValueLines({ path: 'book.yaml: headers.token', lost: 'first-key', replacement: 'second-key' }),
  ]) {
    expect(lines.join()).toMatch(/cannot be undone: secret of headers/)
    expect(lines.join()).not.toMatch(/first-key|second-key/)
  }
})

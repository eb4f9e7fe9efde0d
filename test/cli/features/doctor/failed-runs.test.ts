import { expect, test } from 'vitest'
import type { Finding } from '../../../../src/cli/features/doctor/finding.ts'
import { operator, type RunOptions } from '../../../support/operator.ts'
import { tidyAccount } from '../../../support/tidy-account.ts'

test('an enabled automation whose last runs failed is a warning that counts them and repeats the error', async () => {
  const ran = (status: string, error: string | null) => ({ status, error })
  const through: RunOptions['through'] = async (handle, request) => {
    const answer = await handle(request)
    if (!request.url.includes('/automate/runs?')) return answer
    const [row] = JSON.parse(answer.body).data
    if (!row) return answer
    const runs = [
      ran('RUNNING', null),
      ran('FAILED', 'Look: TypeError: none.'),
      ran('FAILED', 'Look: Error: late.'),
      ran('SUCCEEDED', null),
      ran('FAILED', 'Look: old.'),
    ]
    return { ...answer, body: JSON.stringify({ data: runs.map((it) => ({ ...row, ...it })), next_cursor: null }) }
  }
  const by = await tidyAccount(operator())
  const found = await by.json<Finding[]>('doctor --voice', { through })
  expect(found.filter(({ status }) => status !== 'ok')).toEqual([
    {
      check: 'automation_runs',
      status: 'warning',
      noun: 'automate',
      id: expect.any(String),
      name: 'Opening hours',
      detail: expect.stringMatching(
        /^Automation "Opening hours" \(\w+\) is enabled and its last 2 runs failed: Look: TypeError: none\.$/,
      ),
      hint: expect.stringMatching(/^parley automate runs list \w+ --status FAILED$/),
      record: { noun: 'run', id: expect.any(String) },
    },
  ])
})

import { expect, test } from 'vitest'
import { allCommands } from '../../../../src/generate/reference-files.ts'
import { operator } from '../../../support/operator.ts'

/** Commands that begin to do something at once, or wait: each tested elsewhere. */
const others = /^(demo|server (start|stop|reset|seed)|events listen|conversations chat|login|ui|open)\b/

/** Values that cannot be prompted for: scenarios, a file, an address that may be missing. */
const refusing: Readonly<Record<string, string>> = {
  'assistants test': 'Export the platform to it: parley pull',
  'assistants chat': 'Missing --file.',
  'contacts cancel-waiting': 'No waiting contacts to choose from.',
  'contacts send-waiting': 'No waiting contacts to choose from.',
  'contacts update-hours': 'Nothing to change.',
  'conversations judge': 'Missing --rubric.',
  'calls judge': 'Missing --rubric.',
  'contacts update-settings': 'Nothing to change.',
  'keys rotate': 'The API key comes from the data folder',
  stop: 'Missing --all.',
  // Of the data folder, which has its data in SQLite.
  'server database distribute': 'Pass --database <url>',
  'server database status': 'Pass --database <url>',
  'server simulate run': 'Missing scenario.',
  'server webhooks runs': 'Missing --webhook-url.',
  'server webhooks sender': 'Missing --webhook-url.',
}

test('on a terminal every command prompts for its missing arguments', async () => {
  const by = operator({ lasts: 'file' })
  const problems: string[] = []
  for (const [words] of (await allCommands()).filter(([words]) => !others.test(words))) {
    // Every prompt stays unanswered.
    const ran = await by
      .run(words, { terminal: true })
      .catch((error: Error) => ({ exitCode: 0, stderr: error.message }))
    const known = refusing[words]
    if (known !== undefined ? !ran.stderr.includes(known) : ran.exitCode === 2)
      problems.push(`${words}: ${ran.exitCode} ${ran.stderr.split('\n')[0]}`)
  }
  expect(problems).toEqual([])
})

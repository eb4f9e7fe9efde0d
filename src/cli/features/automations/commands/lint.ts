import { replaceNamesWithNumbers } from '../../../../contract/references/step-references.ts'
import { lintDefinition as findingsOf } from '../../../../engine/analysis/lint.ts'
import type { Finding } from '../../../../engine/analysis/lint-steps.ts'
import { createSandbox } from '../../../../engine/sandbox/create-sandbox.ts'
import { command } from '../../../program/commandline/command.ts'
import type { View } from '../../../program/output/format.ts'
import { applyLimit } from '../../../program/output/print-list.ts'
import { flowFlag, promptFlowFile, readFlowFile } from '../flow-files/flow-document.ts'

const view: View<Finding> = {
  id: (it) => it.rule,
  columns: [
    { key: 'level', title: 'Level', priority: 1, kind: 'status' },
    { key: 'step', title: 'Step', priority: 1 },
    { key: 'path', title: 'Place', priority: 3, flexible: true },
    { key: 'message', title: 'Finding', priority: 1, flexible: true },
    { key: 'rule', title: 'Rule', priority: 4 },
  ],
  empty: 'No problems found.',
}

export const lint = command({
  exits: ['finding'],
  summary: 'Check an automation definition locally for problems',
  flags: [
    { flags: '-f, --file <path>', describe: 'JSON or YAML file with the definition; - for standard input' },
    flowFlag,
  ],
  examples: ['--file flow.json', '--file automation.yaml --json'],
  notes:
    'The platform rejects definitions with errors and accepts warnings. The exit code is 20 when there are findings.',
  view,
  async run(context, { flags }) {
    const file = await promptFlowFile(context, flags.file)
    const { flow } = await readFlowFile(context, file, flags.flow)

    const sandbox = createSandbox()
    try {
      const findings = await findingsOf(replaceNamesWithNumbers(flow).flow, sandbox)
      await context.out.list(applyLimit(context, findings), { view })
      if (findings.some((it) => it.rule === 'unknown-piece'))
        await context.notes.note('The pieces that Parley has, and their names: parley help pieces')
      return findings.length > 0 ? 'finding' : 'done'
    } finally {
      await sandbox.close()
    }
  },
})

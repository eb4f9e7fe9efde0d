import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { ClientFailure } from '../../../client/failures/client-failure.ts'
import { skill } from '../../../generated/skill.ts'
import { makeFolder } from '../../../node/make-folder.ts'
import { replaceFile } from '../../../node/replace-file.ts'
import { command } from '../../program/commandline/command.ts'
import { idView } from '../../program/output/format.ts'

/** Where coding agents find the skills of a project. */
const usualFolder = '.claude/skills/parley'

const view = idView<{ readonly file: string }>((it) => it.file)

/** Returns whether a skill is as a version of Parley wrote it: its checksum is that of its text. `skillFile` in src/generate/skill.ts writes it: the form never changes. */
function isUnchanged(text: string): boolean {
  const [, checksum, body] = /^---\n[\s\S]*?checksum: "(\w+)"\n---\n([\s\S]*)$/.exec(text) ?? []
  return (
    body !== undefined &&
    createHash('sha256')
      .update(body)
      .digest('hex')
      .startsWith(checksum as string)
  )
}

export const install = command({
  summary: 'Add instructions for coding agents to a project',
  argument: { name: 'folder', describe: `Folder of the skill (default: ${usualFolder})`, optional: true },
  risk: 'write',
  exits: ['conflict'],
  flags: [{ flags: '--force', describe: 'Overwrite a file that was changed' }],
  examples: ['', '.agents/skills/parley', '--force'],
  notes:
    'Writes SKILL.md: when to use which command, approvals and exit codes. A file that an earlier version of Parley wrote is replaced; one that was changed since is not, without --force.',
  view,
  async run(context, { argument, flags }) {
    const { out, system } = context
    const folder = resolve(system.cwd, argument ?? usualFolder)
    const file = join(folder, 'SKILL.md')
    const shown = relative(system.cwd, file) || file
    const present = existsSync(file) ? readFileSync(file, 'utf8') : undefined
    if (present === skill) return out.result({ file: shown, done: 'unchanged' }, `${shown} is up to date.`, { view })
    if (present !== undefined && flags.force !== true && !isUnchanged(present))
      throw new ClientFailure({
        exit: 'conflict',
        code: 'file_changed',
        message: `${shown} was changed since Parley wrote it, or is not from Parley. Nothing was written.`,
        hint: 'Pass --force to overwrite it, or another folder.',
        sent: false,
      })
    makeFolder(folder)
    replaceFile(file, skill)
    const done = present === undefined ? 'written' : 'updated'
    await out.result({ file: shown, done }, `${done === 'written' ? 'Created' : 'Updated'} ${shown}.`, { view })
  },
})

import { command } from '../../program/commandline/command.ts'
import { followedExit } from '../../program/errors/interrupted-exit.ts'
import { type AllowedLevel, allowedLevels } from './tools.ts'

export const mcp = command({
  summary: 'Serve MCP tools over standard input and output',
  flags: [
    {
      flags: '--allow <level>',
      describe: 'Most that the tools may do: read, write, or spend after a person has approved it (default: read)',
      choices: allowedLevels,
    },
  ],
  examples: ['', '--allow write', '--allow spend --profile local'],
  notes:
    'For clients without a shell. A client starts this command and speaks the Model Context Protocol with it, revision 2026-07-28 or 2025-11-25. The tools find, read, write, spend and sandbox run command lines of Parley. Nothing in a tool call confirms anything: what spends, deletes or changes what is live waits for "parley ops approve" on a terminal, also where the profile requires no approvals. The tools read and write no files. The profile of this command is the only one that they use. About approvals: parley help approvals.',
  async run(context, { flags }) {
    const { system, notes } = context
    // An unknown profile is reported now, and not by every tool.
    await context.settings()
    if (system.streams.stdin.isTTY) await notes.note('Waiting for an MCP client on standard input. Ctrl-C ends.')
    const { serveTools } = await import('./serve-tools.ts')
    await serveTools(context, (flags.allow ?? 'read') as AllowedLevel)
    return followedExit(system.signal)
  },
})

import { session } from '../data/session.ts'
import { CopyButton } from './copy-button.tsx'

/** Adds the profile to a command for a remote platform: a copied command must not run on another one. */
function withProfile(command: string): string {
  const { mode, profile } = session.value ?? {}
  return mode === 'remote' && command.startsWith('parley ') ? `${command} --profile ${profile}` : command
}

/** Shows the equivalent command with a button that copies it. */
export function CommandLine({ command }: { command: string | null | undefined }) {
  if (!command) return null
  const text = withProfile(command)
  return (
    <div class="command">
      <code>{text}</code>
      <CopyButton text={text} label={`Copy the command ${text}`} shown="Copy" />
    </div>
  )
}

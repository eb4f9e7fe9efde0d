import { CopyButton } from './copy-button.tsx'

/** Shows the equivalent command with a button that copies it. */
export const CommandLine = ({ command }: { command: string | null | undefined }) =>
  command ? (
    <div class="command">
      <code>{command}</code>
      <CopyButton text={command} label={`Copy the command ${command}`} shown="Copy" />
    </div>
  ) : null

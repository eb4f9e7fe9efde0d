import { keys } from '../support/terminal.ts'
import { atTerminal } from './support/program-terminal.ts'
import { drill } from './support/rollback-drill.ts'

const unfolded = (text: string): string => text.replaceAll(/\s+/g, ' ')

drill('in a terminal', async (line, at, agree) => {
  const asked = agree === 'y' ? '(y/N)' : 'to confirm:'
  const { exitCode, screen } = await atTerminal(line, agree ? [[asked, `${agree}${keys.enter}`]] : [], {
    at,
    columns: 200,
  })
  return { exitCode, text: unfolded(screen) }
})

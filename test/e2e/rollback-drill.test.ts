import { parley } from './support/built-program.ts'
import { drill } from './support/rollback-drill.ts'

const unfolded = (text: string): string => text.replaceAll(/\s+/g, ' ')

drill('unattended', async (line, at, agree) => {
  const { exitCode, stdout, stderr } = await parley(`${line}${agree ? ' --yes' : ''}`, { at })
  return { exitCode, text: unfolded(`${stdout} ${stderr}`) }
})

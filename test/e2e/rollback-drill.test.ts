import { parley } from './program.ts'
import { drill } from './rollback-drill.ts'

const unfolded = (text: string): string => text.replaceAll(/\s+/g, ' ')

drill('unattended', async (line, at, agree) => {
  const { exitCode, stdout, stderr } = await parley(`${line}${agree ? ' --yes' : ''}`, { at })
  return { exitCode, text: unfolded(`${stdout} ${stderr}`) }
})

import { existsSync, mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from './databases.ts'
import { onTerminal } from './terminal.ts'

test('a terminal shows all output of a program that ended before this process could read it', async () => {
  for (let n = 0; n < 5; n++) {
    const done = join(mkdtempSync(join(temporaryFolder(), 'end-')), 'done')
    const waitUntilDone = (): void => {
      while (!existsSync(done));
    }
    // More than the 4 kB that Node reads at a time, and less than fills the terminal, where the program would wait.
    const program = ['sh', '-c', `echo first; seq 1500; echo last; : > '${done}'`]
    const { screen } = await onTerminal(program, [['first', waitUntilDone]])
    expect(screen.split('\r\n')).toEqual(['first', ...Array.from({ length: 1500 }, (_, n) => `${n + 1}`), 'last', ''])
  }
})

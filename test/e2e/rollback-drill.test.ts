import { drill } from './support/rollback-drill.ts'
import { byScript } from './support/unattended.ts'

// Half of the scenarios. rollback-drill.full.test.ts has all of them, and rollback-drill-terminal.full.test.ts too, in a terminal.

drill('unattended', byScript, 'main')

import { test } from 'vitest'
import { operator } from '../harness.ts'
test('try', async () => {
  const { run } = operator()
  for (const line of ['assistants list', 'assistants get Recall', 'assistants update 1 --mode multimodal --multimodal-model-id 21 --voice-id 43', 'assistants delete 1', 'assistants create', 'assistants update 1 --fillers --max-duration 5', 'assistants delete 99 --yes','assistants update 1 --add-tool reschedule_visit --remove-tool 1,2 --dry-run', 'assistants enable-webhook 1','assistants get 1 --print-curl'])  {
    const r = await run(line, { terminal: { stdout: true, stderr: false } })
    console.log(`$ ${line}\n${r.stdout}${r.stderr}=> ${r.exitCode} ${r.requests.join(' ')}`)
  }
})

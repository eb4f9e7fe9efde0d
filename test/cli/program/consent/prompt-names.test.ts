import { expect, test } from 'vitest'
import { operator } from '../../../support/operator.ts'

// Every confirmation of a loss names the resource, whether it was picked, named or given by its id.

test.each([
  ['keys delete 2', /^\[local · simulated\] Delete API key "[^"]+" \(2\)\?/],
  ['tools delete 2', /^\[local · simulated\] Delete tool "book_appointment" \(2\)\? Assistants/, 'another'],
  ['tools delete book_appointment', /^\[local · simulated\] Delete tool "book_appointment" \(2\)\?/, 'another'],
  ['folders delete 1', /^\[local · simulated\] Delete folder "Front desk" \(1\)\?/],
  ['labels delete 1', /^\[local · simulated\] Delete label "[^"]+" \(1\)\?/],
  ['knowledge delete 1', /^\[local · simulated\] Delete knowledge base "[^"]+" \(1\) with all/, 'another'],
  [
    'knowledge documents delete 1 --knowledge 1',
    /^\[local · simulated\] Delete document "Treatments and prices" \(1\)\?/,
  ],
  ['campaigns delete 1', /^\[local · simulated\] Delete campaign "[^"]+" \(1\)\?/],
  ['campaigns stop 1', /^\[local · simulated\] Stop campaign "[^"]+" \(1\)\?/],
  ['leads delete 1', /^\[local · simulated\] Delete lead \+\d+ \(1\) and its secondary contacts\?/],
  [
    'sip-trunks delete Reception',
    /^\[local · simulated\] Delete SIP trunk \d+ at \S+ and its number \S+ \("Reception"\)\?/,
  ],
  ['server accounts delete 1', /^\[local · simulated\] Delete account "Northwind Dental" \(1\)\?/],
])('%s asks with the name and the id', async (line, question, answer: string | false = false) => {
  const { run } = operator()
  const { exitCode, asked } = await run(line, { answers: [['', answer]] })
  expect({ exitCode, asked }).toEqual({ exitCode: 10, asked: [expect.stringMatching(question)] })
})

test('a resource that the platform does not list is identified by its id in the prompt', async () => {
  const { run } = operator()
  const { asked } = await run('tools delete 2', {
    answers: [['', false]],
    through: (handle, request) =>
      request.method === 'GET'
        ? Promise.resolve({ status: 405, headers: {}, body: '{"message":"No."}' })
        : handle(request),
  })
  expect(asked).toEqual(['[local · simulated] Delete tool 2? Assistants lose access to it.'])
})

import { expect } from 'chai'
import { Dependency, memoryStore, provide } from '../../adapters/index.ts'
import { withDeadlines } from '../support/manual-deadlines.ts'
import { manualTimers } from '../support/manual-timers.ts'
import { gate } from '../support/waiting.ts'
import { startPages } from './pages-service.ts'
import { expectStrictPage } from './strict-page.ts'

describe('a form that the store keeps waiting until its deadline', () => {
  for (const [place, words] of [
    ['read', 'The service is busy'],
    ['commit', 'The outcome is unknown'],
  ] as const)
    it(`at a ${place}: gets 503, the words “${words}” and the form again`, async () => {
      const timers = manualTimers()
      const stop = gate()
      let isHeld = false
      const store = memoryStore()
      const running = await startPages(
        {},
        provide(Dependency.storage, () => ({
          store: {
            ...store,
            commit: (change) => async () => {
              if (isHeld && place === 'commit') await stop.pass()
              return store.commit(change)()
            },
            findUserByEmail: (email) => async () => {
              if (isHeld && place === 'read') await stop.pass()
              return store.findUserByEmail(email)()
            },
          },
        })),
        withDeadlines(timers.startTimer),
      )
      try {
        isHeld = true
        const asked = running.post('/account/password', {
          email: running.ada.email,
          old_password: running.ada.password,
          new_password: 'battery staple',
          new_password_check: 'battery staple',
        })
        await stop.reached
        expect(timers.running()).to.have.lengthOf(1)
        timers.pass()
        const answer = await asked
        expectStrictPage(answer)
        expect([answer.status, answer.headers['retry-after']]).to.deep.equal([503, '5'])
        expect(answer.html).to.include(words).and.include('<form')
      } finally {
        stop.open()
        await running.stop()
      }
    })
})

import { expect } from 'chai'
import { startIdentityDesk } from '../identity/identity-desk.ts'
import { onMemory } from '../support/one-store.ts'
import { scrape } from '../support/scrape.ts'

onMemory('the metrics of identity providers', (stores) => {
  it('count their answers by provider and result', async () => {
    const desk = await startIdentityDesk(stores)
    await desk.signInAs({ id: 1, email: 'ada@gmail.example' })
    const { transaction } = await desk.proved({ id: 1 })
    await desk.post('/api/v1/auth/user/identity/complete', desk.shop, { transaction, answer: '?code=no' })
    const { value } = await scrape(`http://127.0.0.1:${desk.running.port}`)
    const counts = ['google', 'github'].map((provider) =>
      ['proved', 'refused', 'unavailable'].map((result) =>
        value(`portcullis_identity_answers_total{provider="${provider}",result="${result}"}`),
      ),
    )
    expect(counts).to.deep.equal([
      [1, 1, 0],
      [0, 0, 0],
    ])
    await desk.stop()
  })
})

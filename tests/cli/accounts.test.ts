import { expect } from 'chai'
import { httpClient } from '../support/http-client.ts'
import { introspection } from '../support/introspection.ts'
import { onSqlite } from '../support/one-store.ts'

onSqlite('portcullis application create and user create', (stores) => {
  const { portcullis, serve, remove } = stores.workplace()
  after(remove)

  it('make an application and a user that work at once on a running server', async () => {
    const server = await serve()
    const { send, close } = httpClient(server.url)

    const application = await portcullis('application create --name shop --json')
    expect(application.status).to.equal(0)
    expect(application.err).to.equal('')
    const { id, public_api_key, private_api_key, ...rest } = JSON.parse(application.out)
    expect(rest).to.deep.equal({ name: 'shop', scope: 'users:sign_in users:register' })
    expect(public_api_key).to.equal(`pk_${id}`)

    const user = await portcullis('user create --email ada@example.com --password-stdin --json', {
      input: ' as sent \n',
    })
    expect(user.status).to.equal(0)
    expect(user.err).to.equal('')
    const made = JSON.parse(user.out)
    expect(made).to.deep.equal({ id: made.id, email: 'ada@example.com' })

    const issued = await send({
      method: 'POST',
      path: '/api/v1/auth/application/token',
      body: { public_api_key, private_api_key },
    })
    const signIn = (password: string) =>
      send({
        method: 'POST',
        path: '/api/v1/auth/user/token',
        token: issued.body.token,
        body: { email: 'ada@example.com', password },
      })
    expect((await signIn(' as sent ')).body.user_id).to.equal(made.id)
    expect((await signIn('as sent')).status).to.equal(422)

    await close()
    expect(await server.end()).to.equal(0)
  })

  it('allow introspection only with the scope for it', async () => {
    const server = await serve()
    const { send, close } = httpClient(server.url)
    const make = async (scope: string) => {
      const { status, out, err } = await portcullis(`application create --name gate${scope} --json`)
      expect([status, err]).to.deep.equal([0, ''])
      const { public_api_key, private_api_key, ...made } = JSON.parse(out)
      const body = { public_api_key, private_api_key }
      const { token } = (await send({ method: 'POST', path: '/api/v1/auth/application/token', body })).body
      return { scope: made.scope, token }
    }
    const ask = (token: string) => introspection({ send }, token, { token })

    const gate = await make(' --scope tokens:introspect')
    expect(gate.scope).to.equal('tokens:introspect')
    const asked = await ask(gate.token)
    expect(asked.body).to.include({ active: true, scope: 'tokens:introspect', iss: server.url })
    expect((await ask((await make('')).token)).status).to.equal(403)

    await close()
    expect(await server.end()).to.equal(0)
  })

  it('print the fields of the JSON as text, and a note', async () => {
    const { status, out, err } = await portcullis('application create --name desk --scope users:sign_in')
    expect(status).to.equal(0)
    expect(out).to.match(
      /^id {15}\S+\nname {13}desk\nscope {12}users:sign_in\npublic_api_key {3}pk_\S+\nprivate_api_key {2}sk_\w{49}\n$/,
    )
    expect(err).to.equal('Save the private key now. It is shown only once.\n')
  })
})

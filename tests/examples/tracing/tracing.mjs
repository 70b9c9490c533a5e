import { resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, ConsoleSpanExporter, NodeTracerProvider } from '@opentelemetry/sdk-trace-node'

const provider = new NodeTracerProvider({
  resource: resourceFromAttributes({ 'service.name': 'portcullis' }),
  spanProcessors: [new BatchSpanProcessor(new ConsoleSpanExporter())],
})
provider.register()
process.once('beforeExit', () => provider.shutdown()) // sends the remaining spans after the service has stopped

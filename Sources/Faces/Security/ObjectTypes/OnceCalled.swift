/// A body that is called once, on a queue that its owner expects to be called back on. Sendable because of that.
struct OnceCalled<Body>: @unchecked Sendable {
    let body: Body
}

/// A closure that is called once, on a queue where its owner expects the callback. Sendable because of that.
struct OnceCalled<Body>: @unchecked Sendable {
    let body: Body
}

import Foundation

/// Threads of their own, so that as many calls run at the same time as asked for, however many processors there are.
enum Threads {
    static func run(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
        guard count > 1 else { return body(0) }
        let group = DispatchGroup()
        for index in 0..<count {
            group.enter()
            let thread = Thread {
                body(index)
                group.leave()
            }
            thread.start()
        }
        group.wait()
    }
}

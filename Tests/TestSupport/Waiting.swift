import Glibc

/// Waits until `condition` holds: for what another thread or process does by itself soon. After ten minutes, which no
/// machine needs, the process ends and says which line waited, because the rest of a test has no meaning then.
package func eventually(_ condition: () -> Bool, file: StaticString = #fileID, line: UInt = #line) {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    let end = now.tv_sec + 600
    while !condition() {
        clock_gettime(CLOCK_MONOTONIC, &now)
        guard now.tv_sec < end else { fatalError("what the test waits for did not come", file: file, line: line) }
        usleep(1_000)
    }
}

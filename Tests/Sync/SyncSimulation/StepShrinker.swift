/// Leaves out steps as long as a failure stays the same.
enum StepShrinker {
    static func shrink(
        _ steps: [SimulationStep], while fails: ([SimulationStep]) -> Bool
    ) -> [SimulationStep] {
        var steps = steps
        var size = max(steps.count / 2, 1)
        while true {
            var start = 0
            while start < steps.count {
                var fewer = steps
                let end = min(start + size, steps.count)
                fewer.removeSubrange(start..<end)
                // The time stays what it was.
                if end < steps.count { fewer[start].wait += steps[start..<end].reduce(0) { $0 + $1.wait } }
                var shorter = steps
                shorter.removeSubrange(start..<end)
                if fails(shorter) {
                    steps = shorter
                } else if fails(fewer) {
                    steps = fewer
                } else {
                    start += size
                }
            }
            if size == 1 { return steps }
            size = max(size / 2, 1)
        }
    }
}

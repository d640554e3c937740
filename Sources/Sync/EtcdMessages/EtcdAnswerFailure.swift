/// A reason for which an answer is not one of etcd's gateway.
package enum EtcdAnswerFailure: Error, Hashable, Sendable {
    case notJSON(JSONFailure)
    case wrongType
    case memberMissing(String)
    case repeatedMember(String)
    case badNumber(String)
    case badBase64(String)
    /// Another number of answers than operations, or an answer of another kind than its operation.
    case notAnAnswer
}
